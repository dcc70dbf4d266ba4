// Services that accept every request and show as little as they can: empty objects, lists and pages, lists without
// their newest element, streams that end early, events under other names. Mutants of the proof cover missing fields.
import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { Call } from '../../judge/trace/call.ts';
import { isObject } from '../../judge/trace/json.ts';
import { emptyValue, isPage, pageWith } from '../../proof/mutations/evasions.ts';
import {
  editFrame,
  type StreamFrame,
  withBody,
  withEvents,
  withResponseJson,
} from '../../proof/mutations/exchanges.ts';
import { type Edit, setValue } from '../../proof/mutations/values.ts';
import type { Json } from '../../schemas/json.ts';
import { getOrMake, groupBy } from '../../schemas/maps.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { RecordedRun } from './recorded-run.ts';

const END_MARK = '[DONE]';
const MAX_DEPTH = 5;
const CALLER_NAMED_OBJECTS: ReadonlySet<string> = new Set(['metadata', 'properties']);

/** One way to show less in all successful responses of an operation. */
export interface HiddenAnswer {
  readonly kind:
    | 'empty-object'
    | 'empty-list'
    | 'empty-page'
    | 'without-newest'
    | 'cut-stream'
    | 'renamed-event';
  readonly operation: string;
  /** The operation, and the place, event or query parameter if there is one. */
  readonly name: string;
  /**
   * The name of the event that is changed or before which the stream is cut: '' for chunks, `[DONE]` for the end mark.
   * Null for responses that are not streams.
   */
  readonly event: string | null;
  /** Pattern of the JSON pointers of the emptied values; null for other edits. */
  readonly place: string | null;
  /** Returns the same exchange if it has nothing to hide. */
  readonly hide: (exchange: Exchange, call: Call) => Exchange;
}

export interface ChangedTrace {
  readonly items: readonly TraceItem[];
  readonly changed: readonly Exchange[];
}

export function hiddenAnswers({ calls }: RecordedRun): readonly HiddenAnswer[] {
  const successes = [...calls.values()].filter(({ responseClass }) => responseClass === 'accepted');
  const operations = [...groupBy(successes, ({ operation }) => operation.id)];
  return [hiddenValues, hiddenElements, hiddenEvents].flatMap((findHidings) =>
    operations.flatMap(([id, accepted]) =>
      [...findHidings(id, accepted)].map((hidden) => ({
        event: null,
        place: null,
        operation: id,
        ...hidden,
      })),
    ),
  );
}

/** Null if no response changes. */
export function hiddenTrace(run: RecordedRun, { operation, hide }: HiddenAnswer): ChangedTrace | null {
  const changed: Exchange[] = [];
  const items = run.items.map((item) => {
    const call = isNote(item) ? undefined : run.calls.get(item);
    if (isNote(item) || call?.responseClass !== 'accepted' || call.operation.id !== operation) return item;
    const hidden = hide(item, call);
    if (hidden !== item) changed.push(hidden);
    return hidden;
  });
  return changed.length > 0 ? { items, changed } : null;
}

/** A hidden answer that may lack the fields with a default in `hiddenAnswers`. */
type Hiding = Pick<HiddenAnswer, 'kind' | 'name' | 'hide'> & Partial<HiddenAnswer>;

/** Empties each object and each list, except the list of a page, which `hiddenElements` empties. */
function* hiddenValues(id: string, calls: readonly Call[]): Generator<Hiding> {
  const isPaged = calls[0]?.operation.list != null;
  for (const [event, values] of answersByEvent(calls)) {
    const hidings = new Map<string, Hiding>();
    for (const [pointer, value] of values.flatMap((one) => [...valuesIn(one)])) {
      const isList = Array.isArray(value);
      if (emptyValue(value) === value || (isPaged && pointer === '/data')) continue;
      // An absent value stays absent: a member that is null could violate the schema, and reveal the service.
      const empty = <T extends Json | undefined>(one: T) =>
        one !== undefined && Array.isArray(one) === isList ? emptyValue(one) : one;
      const edit: Edit = pointer === '/' ? empty : setValue(pointer, empty);
      hidings.set(`${isList} ${pointer}`, {
        kind: isList ? 'empty-list' : 'empty-object',
        name: `${event === null ? id : `${id} ${event || 'chunk'}`} ${pointer}`,
        event,
        place: pointer,
        hide: (exchange) => withJsonEdited(exchange, event, edit),
      });
    }
    yield* hidings.values();
  }
}

function answersByEvent(calls: readonly Call[]): ReadonlyMap<string | null, readonly Json[]> {
  const answers = new Map<string | null, Json[]>();
  const add = (event: string | null, values: readonly Json[]) =>
    getOrMake(answers, event, () => []).push(...values);
  for (const { exchange, responseJson } of calls) {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    if (stream === null) add(null, responseJson === undefined ? jsonLines(exchange) : [responseJson]);
    for (const { event, json } of stream?.events ?? []) if (json !== null) add(event, [json.value]);
  }
  return answers;
}

function jsonLines({ response }: Exchange): readonly Json[] {
  try {
    const lines = (response?.body.text ?? '').split('\n').filter((line) => line !== '');
    const values: readonly Json[] = lines.map((line) => JSON.parse(line));
    return values.every(isObject) ? values : [];
  } catch {
    return [];
  }
}

function withJsonEdited(exchange: Exchange, event: string | null, edit: Edit): Exchange {
  if (event !== null)
    return withEvents(exchange, (frames) =>
      frames.map((frame) => (frame.event === event ? editFrame(frame, edit) : frame)),
    );
  const answer = withResponseJson(exchange, edit);
  if (answer !== exchange) return answer;
  const lines = jsonLines(exchange);
  const changed = lines.map(edit);
  if (lines.length < 2 || changed.every((line, i) => line === lines[i])) return exchange;
  return withBody(exchange, `${changed.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

/** Empties all pages of a list, then those requested with each query parameter, then drops only the newest element. */
function* hiddenElements(id: string, calls: readonly Call[]): Generator<Hiding> {
  if (calls[0]?.operation.list == null) return;
  for (const parameter of [null, ...new Set(calls.flatMap(({ query }) => [...query.keys()]))])
    yield {
      kind: 'empty-page',
      name: parameter === null ? id : `${id} ?${parameter}`,
      hide: (exchange, { query }) =>
        parameter === null || query.has(parameter)
          ? withResponseJson(exchange, (json) => (isPage(json) ? pageWith(json, []) : json))
          : exchange,
    };
  yield { kind: 'without-newest', name: id, hide: (exchange) => withResponseJson(exchange, withoutNewest) };
}

/**
 * A page without the element that was created last, or without the first of several created at that time. The same
 * page if an element has no `created_at`, as in the list of models.
 */
function withoutNewest(json: Json): Json {
  if (!isPage(json) || json.data.length === 0) return json;
  const times = json.data.map((element) => Number(isObject(element) ? element['created_at'] : 0));
  const newest = times.indexOf(Math.max(...times));
  const others = json.data.filter((_, i) => i !== newest);
  return pageWith(json, others);
}

/**
 * Cuts each stream before its first event of a name, or renames all events of the name. Chunks have the name '':
 * their streams are cut before the second one.
 */
function* hiddenEvents(id: string, calls: readonly Call[]): Generator<Hiding> {
  const events = calls.flatMap(({ exchange: { response } }) =>
    response === null ? [] : (eventsOf(response)?.events ?? []),
  );
  for (const name of new Set(events.map(nameOf))) {
    yield {
      kind: 'cut-stream',
      name: `${id} before ${name === '' ? 'the second chunk' : name}`,
      event: name,
      hide: (exchange) => cutBefore(exchange, name),
    };
    if (name !== '' && name !== END_MARK)
      yield {
        kind: 'renamed-event',
        name: `${id} ${name}`,
        event: name,
        hide: (exchange) => withEvents(exchange, (frames) => frames.map((frame) => renameEvent(frame, name))),
      };
  }
}

/** The name of an event; for the end mark its data. */
function nameOf({ event, data }: Pick<StreamFrame, 'event' | 'data'>): string {
  return data === END_MARK ? END_MARK : event;
}

/** Ends the stream before its first event of a name, or before its second chunk if the name is ''. */
function cutBefore(exchange: Exchange, name: string): Exchange {
  return withEvents(exchange, (frames) => {
    const at = name === '' ? 1 : frames.findIndex((frame) => nameOf(frame) === name);
    return at === -1 || at >= frames.length ? frames : frames.slice(0, at);
  });
}

function renameEvent(frame: StreamFrame, name: string): StreamFrame {
  return nameOf(frame) === name ? { event: `${name}.other`, data: frame.data, bytes: null } : frame;
}

/** The value and those up to `MAX_DEPTH` levels below, by pointer, with `*` for elements and caller-named members. */
function* valuesIn(value: Json, place: readonly string[] = []): Generator<readonly [pointer: string, Json]> {
  yield [`/${place.map(pointerToken).join('/')}`, value];
  if (place.length >= MAX_DEPTH) return;
  const isFree = Array.isArray(value) || CALLER_NAMED_OBJECTS.has(place.at(-1) ?? '');
  const members = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  for (const [name, inner] of members) yield* valuesIn(inner, [...place, isFree ? '*' : name]);
}
