// Answers whose objects and lists are empty. Answers without a field that they must have are mutants of the proof of the suite
// already, and other fields may be left out.
import type { Exchange } from '../../../exchange/exchange.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import type { Call } from '../../../judge/trace/call.ts';
import { isObject } from '../../../judge/trace/json.ts';
import { editFrame, withBody, withEvents, withResponseJson } from '../../../proof/mutations/exchanges.ts';
import type { Edit } from '../../../proof/mutations/values.ts';
import type { Json } from '../../../schemas/json.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { acceptedCalls, type HiddenAnswer, ofOperation } from './hidden-answer.ts';
import { changedAt, type Place, type PlacedValue, pointerPattern, valuesIn } from './places.ts';

/** A place in the answers of an operation, or in the data of its events of one name. */
interface AnsweredPlace {
  readonly operation: Call['operation'];
  /** Null for answers that are not streams. */
  readonly event: string | null;
  readonly place: Place;
}

/** Each object and each list without its content. */
export function* hiddenValues(run: RecordedRun): Generator<HiddenAnswer> {
  for (const calls of acceptedCalls(run).values()) {
    const [operation] = calls.map((call) => call.operation);
    if (operation === undefined) continue;
    for (const [event, values] of answersOf(calls)) {
      const found = new Map(values.flatMap((value) => [...valuesIn(value)]).flatMap(keyed));
      for (const { place, value } of found.values()) yield emptiedAt({ operation, event, place }, value);
    }
  }
}

/** A value with content by its kind and place; empty for others, and for pages, which are emptied on their own. */
function keyed(one: PlacedValue): readonly (readonly [string, PlacedValue])[] {
  const { place, value } = one;
  const name = pointerPattern(place);
  if (emptied(value) === value || (Array.isArray(value) && name === '/data')) return [];
  return [[`${Array.isArray(value) ? 'list' : 'object'} ${name}`, one]];
}

/** The edit that empties the values of a place that are of the same kind as this one. */
function emptiedAt({ operation, event, place }: AnsweredPlace, value: Json): HiddenAnswer {
  // The carrier of a value is an answer, or an event of a stream.
  const { id } = operation;
  const carrier = event === null ? id : `${id} ${event === '' ? 'chunk' : event}`;
  const isList = Array.isArray(value);
  const change = (one: Json): Json => (Array.isArray(one) === isList ? emptied(one) : one);
  return {
    kind: isList ? 'empty-list' : 'empty-object',
    operation: id,
    name: `${carrier} ${pointerPattern(place)}`,
    event,
    place: pointerPattern(place),
    hide: ofOperation(id, (exchange) => edited(exchange, event, (json) => changedAt(json, place, change))),
  };
}

/** An object or a list without its content; other values, and empty ones, as they are. */
function emptied(value: Json): Json {
  if (Array.isArray(value)) return value.length > 0 ? [] : value;
  return isObject(value) && Object.keys(value).length > 0 ? {} : value;
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
function edited(exchange: Exchange, event: string | null, edit: Edit): Exchange {
  if (event !== null)
    return withEvents(exchange, (frames) =>
      frames.map((frame) => (frame.event === event ? editFrame(frame, edit) : frame)),
    );
  const answer = withResponseJson(exchange, edit);
  if (answer !== exchange) return answer;
  const lines = linesOf(exchange);
  const changed = lines.map(edit);
  if (lines.length < 2 || changed.every((line, i) => line === lines[i])) return exchange;
  return withBody(exchange, `${changed.map((line) => JSON.stringify(line)).join('\n')}\n`);
}
