// Answers whose objects and lists are empty, or whose fields are left out.
import type { Exchange } from '../../../exchange/exchange.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import { isObject } from '../../../judge/evidence/json.ts';
import { withBody, withResponseJson } from '../../../judge/mutations/exchanges.ts';
import { editFrame, withEvents } from '../../../judge/mutations/streams.ts';
import type { Call } from '../../../judge/trace/call.ts';
import type { Json } from '../../../schemas/json.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { acceptedCalls, type HiddenAnswer, ofOperation } from './hidden-answer.ts';
import { changedAt, type Place, type PlacedValue, pointerOf, valuesIn } from './places.ts';
import { isContentStated, isFieldStated } from './stated.ts';

type Kind = Extract<HiddenAnswer['kind'], 'empty-object' | 'empty-list' | 'left-out'>;

/** A place in the answers of an operation, or in the data of its events of one name. */
interface AnsweredPlace {
  readonly operation: Call['operation'];
  /** Null for answers that are not streams. */
  readonly event: string | null;
  readonly place: Place;
}

/** Each object and each list without its content, and each field left out. */
export function* hiddenValues(run: RecordedRun): Generator<HiddenAnswer> {
  for (const [id, calls] of acceptedCalls(run)) {
    const [operation] = calls.map((call) => call.operation);
    if (operation === undefined) continue;
    for (const [event, values] of answersOf(calls)) {
      const found = new Map(
        values.flatMap((value) =>
          [...valuesIn(value)].flatMap((one) =>
            kindsAt(one).map((kind) => [`${kind} ${pointerOf(one.place)}`, { kind, place: one.place }]),
          ),
        ),
      );
      for (const { kind, place } of found.values()) yield hiddenAt({ operation, event, place }, kind, id);
    }
  }
}

function hiddenAt(at: AnsweredPlace, kind: Kind, operation: string): HiddenAnswer {
  const { event, place } = at;
  const isEmpty = kind === 'empty-object' || kind === 'empty-list';
  return {
    kind,
    operation,
    name: [operation, ...(event === null ? [] : [event === '' ? 'chunk' : event]), pointerOf(place)].join(
      ' ',
    ),
    isStated: isEmpty
      ? isContentStated(at.operation, event, place)
      : isFieldStated(at.operation, event, place),
    hide: ofOperation(operation, (exchange) =>
      edited(exchange, event, (json) => changedAt(json, place, CHANGES[kind])),
    ),
  };
}

/** What each kind makes of a value; undefined leaves it out. */
const CHANGES: Readonly<Record<Kind, (value: Json) => Json | undefined>> = {
  'empty-object': (value) => (isObject(value) && Object.keys(value).length > 0 ? {} : value),
  'empty-list': (value) => (Array.isArray(value) && value.length > 0 ? [] : value),
  'left-out': () => undefined,
};

/** The kinds that change a value; pages are emptied on their own. */
function kindsAt({ place, value }: PlacedValue): readonly Kind[] {
  const isPage = place.length === 1 && place[0] === 'data';
  const kinds: Kind[] = [];
  if (Array.isArray(value) && value.length > 0 && !isPage) kinds.push('empty-list');
  if (isObject(value) && Object.keys(value).length > 0) kinds.push('empty-object');
  const step = place.at(-1);
  return step === undefined || step === '*' ? kinds : [...kinds, 'left-out'];
}

/** The JSON of answers, by name of the event that carries it; null for what is not a stream. */
function answersOf(calls: readonly Call[]): ReadonlyMap<string | null, readonly Json[]> {
  const found = new Map<string | null, Json[]>();
  const add = (event: string | null, values: readonly Json[]) =>
    found.set(event, [...(found.get(event) ?? []), ...values]);
  for (const call of calls) {
    const stream = call.exchange.response === null ? null : eventsOf(call.exchange.response);
    if (stream === null)
      add(null, call.responseJson === undefined ? linesOf(call.exchange) : [call.responseJson]);
    for (const { event, json } of stream?.events ?? []) if (json !== null) add(event, [json.value]);
  }
  return found;
}

/** The values of a file of results, one a line; empty for other files. */
function linesOf({ response }: Exchange): readonly Json[] {
  const lines = (response?.body.text ?? '').split('\n').filter((line) => line !== '');
  try {
    const values: readonly Json[] = lines.map((line) => JSON.parse(line));
    return values.every(isObject) ? values : [];
  } catch {
    return [];
  }
}

/** The exchange with the JSON of its answer, of its events of a name, or of its lines edited. */
function edited(exchange: Exchange, event: string | null, edit: (json: Json) => Json | undefined): Exchange {
  const whole = (json: Json): Json => edit(json) ?? {};
  if (event !== null)
    return withEvents(exchange, (frames) =>
      frames.map((frame) => (frame.event === event ? editFrame(frame, whole) : frame)),
    );
  const answer = withResponseJson(exchange, whole);
  if (answer !== exchange) return answer;
  const lines = linesOf(exchange);
  const changed = lines.map(whole);
  if (lines.length < 2 || changed.every((line, i) => line === lines[i])) return exchange;
  return withBody(exchange, `${changed.map((line) => JSON.stringify(line)).join('\n')}\n`);
}
