// Services that answer every request and show as little as they can: empty objects and pages, streams that end early, events under
// other names, lists without their newest element. Each edit is made wherever it applies.
import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { isObject } from '../../judge/evidence/json.ts';
import { withResponseJson } from '../../judge/mutations/exchanges.ts';
import { withEvents } from '../../judge/mutations/streams.ts';
import type { Call } from '../../judge/trace/call.ts';
import type { Json } from '../../schemas/json.ts';
import type { RecordedRun } from './recorded-run.ts';

/** One way to show less. */
export interface HiddenAnswer {
  readonly kind:
    | 'empty-object'
    | 'empty-list'
    | 'empty-page'
    | 'cut-stream'
    | 'renamed-event'
    | 'without-newest';
  /** Id of the operation whose answers are changed. */
  readonly operation: string;
  /** The operation, and the place, event or query parameter. */
  readonly name: string;
  readonly hide: (exchange: Exchange, call: Call) => Exchange;
}

/** All ways that a run has an occasion for. */
export function hiddenAnswers(run: RecordedRun): readonly HiddenAnswer[] {
  return [...emptyValues(run), ...emptyPages(run), ...streams(run)];
}

/** The trace of a service that hides something; null where that changes nothing. */
export function hiddenTrace(run: RecordedRun, { hide }: HiddenAnswer): readonly TraceItem[] | null {
  let changed = false;
  const items = run.items.map((item) => {
    const call = isNote(item) ? undefined : run.calls.get(item);
    if (isNote(item) || call?.responseClass !== 'accepted') return item;
    const hidden = hide(item, call);
    changed ||= hidden !== item;
    return hidden;
  });
  return changed ? items : null;
}

/** Each answer, and each object and each list in it, without its content. */
function* emptyValues(run: RecordedRun): Generator<HiddenAnswer> {
  for (const [operation, calls] of byOperation(run)) {
    const places = new Map(calls.flatMap(({ responseJson: json }) => [...placesWithContent(json, '', 0)]));
    for (const [place, kind] of places)
      yield {
        kind,
        operation,
        name: `${operation} ${place === '' ? '/' : place}`,
        hide: (exchange, call) =>
          call.operation.id === operation
            ? withResponseJson(exchange, (json) => emptied(json, place.split('/').slice(1)))
            : exchange,
      };
  }
}

/** How deep objects and lists are looked for. */
const DEPTH = 4;

/** Places of objects and lists that have content, `*` for any element; pages are emptied on their own. */
function* placesWithContent(
  json: Json | undefined,
  at: string,
  depth: number,
): Generator<readonly [string, 'empty-object' | 'empty-list']> {
  if (depth > DEPTH || json === undefined || json === null || typeof json !== 'object') return;
  if (Array.isArray(json)) {
    if (json.length > 0 && at !== '/data') yield [at, 'empty-list'];
    for (const element of json) yield* placesWithContent(element, `${at}/*`, depth + 1);
    return;
  }
  const members = Object.entries(json);
  if (members.length === 0) return;
  yield [at, 'empty-object'];
  for (const [name, value] of members)
    yield* placesWithContent(value, `${at}/${isFreeName(at) ? '*' : name}`, depth + 1);
}

/** Names of callers, such as those of metadata. */
function isFreeName(at: string): boolean {
  return at.endsWith('/metadata') || at.endsWith('/properties');
}

/** The value with the objects at a place emptied; the same value where none is there. */
function emptied(json: Json, [step, ...rest]: readonly string[]): Json {
  if (step === undefined) return withoutContent(json);
  if (Array.isArray(json)) return changedList(json, (element) => emptied(element, rest));
  if (!isObject(json)) return json;
  const names = step === '*' ? Object.keys(json) : Object.keys(json).filter((name) => name === step);
  let found: Json = json;
  for (const name of names) {
    const changed = emptied(json[name] ?? null, rest);
    if (changed !== (json[name] ?? null)) found = { ...Object(found), [name]: changed };
  }
  return found;
}

/** An object or a list without its content; other values, and empty ones, as they are. */
function withoutContent(json: Json): Json {
  if (Array.isArray(json)) return json.length > 0 ? [] : json;
  return isObject(json) && Object.keys(json).length > 0 ? {} : json;
}

/** The same list where nothing in it changes. */
function changedList(list: Json[], change: (element: Json) => Json): Json {
  const changed = list.map(change);
  return changed.every((element, i) => element === list[i]) ? list : changed;
}

/** Each list always empty, then only where a query parameter is sent; and each without its newest element. */
function* emptyPages(run: RecordedRun): Generator<HiddenAnswer> {
  for (const [operation, calls] of byOperation(run)) {
    if (calls[0]?.operation.list == null) continue;
    const parameters = new Set(calls.flatMap(({ query }) => [...query.keys()]));
    for (const parameter of [null, ...parameters])
      yield {
        kind: 'empty-page',
        operation,
        name: parameter === null ? operation : `${operation} ?${parameter}`,
        hide: (exchange, call) =>
          call.operation.id === operation && (parameter === null || call.query.has(parameter))
            ? withResponseJson(exchange, (json) => withData(json, []))
            : exchange,
      };
    yield {
      kind: 'without-newest',
      operation,
      name: operation,
      hide: (exchange, call) =>
        call.operation.id === operation ? withResponseJson(exchange, withoutNewest) : exchange,
    };
  }
}

/** A page without the element that was created last; of several the first. */
function withoutNewest(json: Json): Json {
  const data = isObject(json) && Array.isArray(json['data']) ? json['data'] : [];
  const times = data.map((element) => Number(isObject(element) ? element['created_at'] : 0));
  const newest = Math.max(...times);
  return data.length === 0
    ? json
    : withData(
        json,
        data.filter((_, i) => i !== times.indexOf(newest)),
      );
}

/** A page with other elements; its ends fit them. */
function withData(json: Json, data: readonly Json[]): Json {
  if (!isObject(json) || !Array.isArray(json['data']) || json['data'].length === data.length) return json;
  const ends = { first_id: idOf(data[0]), last_id: idOf(data.at(-1)) };
  const more = data.length === 0 && 'has_more' in json ? { has_more: false } : {};
  return { ...json, data: [...data], ...more, ...('first_id' in json ? ends : {}) };
}

/** The id of an element; null where it has none, as the ends of an empty page. */
function idOf(element: Json | undefined): Json {
  return isObject(element) ? (element['id'] ?? null) : null;
}

/** Each stream cut before its first event of a name, or that event renamed wherever it comes; chunks have no names. */
function* streams(run: RecordedRun): Generator<HiddenAnswer> {
  for (const [operation, calls] of byOperation(run)) {
    const events = calls.flatMap(({ exchange: { response } }) =>
      response === null ? [] : (eventsOf(response)?.events ?? []),
    );
    const names = new Set(events.map(({ event, data }) => (data === '[DONE]' ? '[DONE]' : event)));
    const ofOperation =
      (change: HiddenAnswer['hide']): HiddenAnswer['hide'] =>
      (exchange, call) =>
        call.operation.id === operation ? change(exchange, call) : exchange;
    for (const name of names) {
      const isIt = (frame: { readonly event: string; readonly data: string }) =>
        name === '[DONE]' ? frame.data === '[DONE]' : frame.event === name;
      yield {
        kind: 'cut-stream',
        operation,
        name: `${operation} before ${name === '' ? 'the second chunk' : name}`,
        hide: ofOperation((exchange) =>
          withEvents(exchange, (frames) => {
            const at = name === '' ? 1 : frames.findIndex(isIt);
            return at === -1 || at >= frames.length ? frames : frames.slice(0, at);
          }),
        ),
      };
      if (name === '' || name === '[DONE]') continue;
      yield {
        kind: 'renamed-event',
        operation,
        name: `${operation} ${name}`,
        hide: ofOperation((exchange) =>
          withEvents(exchange, (frames) =>
            frames.map((frame) =>
              isIt(frame) ? { event: `${name}.other`, data: frame.data, bytes: null } : frame,
            ),
          ),
        ),
      };
    }
  }
}

/** The accepted calls, by id of their operation. */
function byOperation({ calls }: RecordedRun): ReadonlyMap<string, readonly Call[]> {
  const found = new Map<string, Call[]>();
  for (const call of calls.values()) {
    if (call.responseClass !== 'accepted') continue;
    const known = found.get(call.operation.id) ?? [];
    found.set(call.operation.id, known);
    known.push(call);
  }
  return found;
}
