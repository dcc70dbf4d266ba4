// Services that accept every request and show as little as they can: empty objects, lists and pages, lists without their newest
// element, streams that end early, events under other names. Missing fields are not tried: mutants of the proof cover them.
import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { Call } from '../../judge/trace/call.ts';
import { isObject } from '../../judge/trace/json.ts';
import {
  editFrame,
  type StreamFrame,
  withBody,
  withEvents,
  withResponseJson,
} from '../../proof/mutations/exchanges.ts';
import type { Edit } from '../../proof/mutations/values.ts';
import type { Json } from '../../schemas/json.ts';
import type { RecordedRun } from './recorded-run.ts';

/** One way to show less, applied to every response of an operation. */
export interface HiddenAnswer {
  readonly kind:
    | 'empty-object'
    | 'empty-list'
    | 'empty-page'
    | 'without-newest'
    | 'cut-stream'
    | 'renamed-event';
  /** Id of the operation. */
  readonly operation: string;
  /** The operation and the place, event or query parameter. */
  readonly name: string;
  /** The name of the event that is changed; null for responses that are not streams. */
  readonly event: string | null;
  /** Pattern of the JSON pointers of the emptied values; null for other edits. */
  readonly place: string | null;
  /** Returns the same exchange if it has nothing to hide. */
  readonly hide: (exchange: Exchange, call: Call) => Exchange;
}

/** A trace, and those of its exchanges that were changed. */
export interface ChangedTrace {
  readonly items: readonly TraceItem[];
  readonly changed: readonly Exchange[];
}

/** All ways to show less for which the run has a response. */
export function hiddenAnswers({ calls }: RecordedRun): readonly HiddenAnswer[] {
  const byOperation = new Map<string, Call[]>();
  for (const call of calls.values()) {
    if (call.responseClass !== 'accepted') continue;
    const known = byOperation.get(call.operation.id) ?? [];
    byOperation.set(call.operation.id, known);
    known.push(call);
  }
  const operations = [...byOperation];
  return [hiddenValues, hiddenElements, hiddenEvents].flatMap((kind) =>
    operations.flatMap(([id, accepted]) =>
      [...kind(id, accepted)].map((hidden) => ({ event: null, place: null, operation: id, ...hidden })),
    ),
  );
}

/** The trace of a service that hides something; null if that changes nothing. */
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

/** A hidden answer without the fields that all kinds set alike. */
type Hiding = Pick<HiddenAnswer, 'kind' | 'name' | 'hide'> & Partial<HiddenAnswer>;

/** Empties each object and each list, except the elements of pages. */
function* hiddenValues(id: string, calls: readonly Call[]): Generator<Hiding> {
  for (const [event, values] of answersByEvent(calls)) {
    const found = new Map<string, PlacedValue>();
    for (const one of values.flatMap((value) => [...valuesIn(value)])) {
      const isList = Array.isArray(one.value);
      const pointer = pointerPattern(one.place);
      if (emptied(one.value) !== one.value && !(isList && pointer === '/data'))
        found.set(`${isList} ${pointer}`, one);
    }
    for (const { place, value } of found.values()) {
      const pointer = pointerPattern(place);
      const isList = Array.isArray(value);
      const empty = (one: Json): Json => (Array.isArray(one) === isList ? emptied(one) : one);
      yield {
        kind: isList ? 'empty-list' : 'empty-object',
        name: `${event === null ? id : `${id} ${event || 'chunk'}`} ${pointer}`,
        event,
        place: pointer,
        hide: (exchange) => withJsonEdited(exchange, event, (json) => changedAt(json, place, empty)),
      };
    }
  }
}

/** An object or a list without its content; other values as they are. */
function emptied(value: Json): Json {
  if (Array.isArray(value)) return value.length > 0 ? [] : value;
  return isObject(value) && Object.keys(value).length > 0 ? {} : value;
}

/** The JSON of responses by the name of the event that carries it; null for responses that are not streams. */
function answersByEvent(calls: readonly Call[]): ReadonlyMap<string | null, readonly Json[]> {
  const found = new Map<string | null, Json[]>();
  const add = (event: string | null, values: readonly Json[]) =>
    found.set(event, [...(found.get(event) ?? []), ...values]);
  for (const { exchange, responseJson } of calls) {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    if (stream === null) add(null, responseJson === undefined ? jsonLines(exchange) : [responseJson]);
    for (const { event, json } of stream?.events ?? []) if (json !== null) add(event, [json.value]);
  }
  return found;
}

/** The objects of a JSON Lines file; empty for other bodies. */
function jsonLines({ response }: Exchange): readonly Json[] {
  try {
    const lines = (response?.body.text ?? '').split('\n').filter((line) => line !== '');
    const values: readonly Json[] = lines.map((line) => JSON.parse(line));
    return values.every(isObject) ? values : [];
  } catch {
    return [];
  }
}

/** The exchange with its response JSON, its events of a name, or its JSON lines edited. */
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

/** Empties each list, then only its pages with a given query parameter; and removes the newest element. */
function* hiddenElements(id: string, calls: readonly Call[]): Generator<Hiding> {
  if (calls[0]?.operation.list == null) return;
  for (const parameter of [null, ...new Set(calls.flatMap(({ query }) => [...query.keys()]))])
    yield {
      kind: 'empty-page',
      name: parameter === null ? id : `${id} ?${parameter}`,
      hide: (exchange, { query }) =>
        parameter === null || query.has(parameter)
          ? withResponseJson(exchange, (json) => withData(json, []))
          : exchange,
    };
  yield {
    kind: 'without-newest',
    name: id,
    hide: (exchange) => withResponseJson(exchange, withoutNewest),
  };
}

/** A page without the element that was created last; the first one if several were. */
function withoutNewest(json: Json): Json {
  const data = isObject(json) && Array.isArray(json['data']) ? json['data'] : [];
  if (data.length === 0) return json;
  const times = data.map((element) => Number(isObject(element) ? element['created_at'] : 0));
  const newest = times.indexOf(Math.max(...times));
  return withData(
    json,
    data.filter((_, i) => i !== newest),
  );
}

/** A page with other elements. Its ends and `has_more` follow, so that nothing else is wrong. */
function withData(json: Json, data: readonly Json[]): Json {
  if (!isObject(json) || !Array.isArray(json['data']) || json['data'].length === data.length) return json;
  const idOf = (element: Json | undefined): Json => (isObject(element) ? (element['id'] ?? null) : null);
  const ends = { first_id: idOf(data[0]), last_id: idOf(data.at(-1)) };
  const more = data.length === 0 && 'has_more' in json ? { has_more: false } : {};
  return { ...json, data: [...data], ...more, ...('first_id' in json ? ends : {}) };
}

/** The data that ends a stream. */
const END = '[DONE]';

/** Cuts each stream before its first event of a name, or renames all events of the name. Chunks have the name ''. */
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
    if (name !== '' && name !== END)
      yield {
        kind: 'renamed-event',
        name: `${id} ${name}`,
        event: name,
        hide: (exchange) => withEvents(exchange, (frames) => frames.map((frame) => renamed(frame, name))),
      };
  }
}

/** The name of an event; of the last one its data. */
function nameOf({ event, data }: Pick<StreamFrame, 'event' | 'data'>): string {
  return data === END ? END : event;
}

/** The stream up to its first event of a name, or up to its second chunk, with a complete transfer. */
function cutBefore(exchange: Exchange, name: string): Exchange {
  return withEvents(exchange, (frames) => {
    const at = name === '' ? 1 : frames.findIndex((frame) => nameOf(frame) === name);
    return at === -1 || at >= frames.length ? frames : frames.slice(0, at);
  });
}

function renamed(frame: StreamFrame, name: string): StreamFrame {
  return nameOf(frame) === name ? { event: `${name}.other`, data: frame.data, bytes: null } : frame;
}

/** The path to values: names of properties, and `*` for elements of lists and for names that callers choose. */
type Place = readonly string[];

interface PlacedValue {
  readonly place: Place;
  readonly value: Json;
}

/** Levels of nesting that are searched. */
const DEPTH = 5;
/** Objects whose properties are named by callers. */
const FREE: ReadonlySet<string> = new Set(['metadata', 'properties']);

/** The value and everything in it. */
function* valuesIn(value: Json, place: Place = []): Generator<PlacedValue> {
  yield { place, value };
  if (place.length >= DEPTH) return;
  const isFree = Array.isArray(value) || FREE.has(place.at(-1) ?? '');
  const members = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  for (const [name, inner] of members) yield* valuesIn(inner, [...place, isFree ? '*' : name]);
}

/** The value with everything at a place changed; the same value if nothing changes. */
function changedAt(json: Json, [step, ...rest]: Place, change: Edit): Json {
  if (step === undefined) return change(json);
  if (Array.isArray(json)) {
    const elements = json.map((element) => changedAt(element, rest, change));
    return elements.every((one, i) => one === json[i]) ? json : elements;
  }
  if (!isObject(json)) return json;
  const members = Object.entries(json).map(([name, value]) => {
    const isMeant = step === '*' || step === name;
    return [name, isMeant ? changedAt(value, rest, change) : value] as const;
  });
  const before = Object.values(json);
  return members.every(([, value], i) => value === before[i]) ? json : Object.fromEntries(members);
}

/** A place as a JSON pointer with `*`. */
function pointerPattern(place: Place): string {
  return place.length === 0 ? '/' : place.map((step) => `/${step.replaceAll('/', '~1')}`).join('');
}
