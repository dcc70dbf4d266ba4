// Lists that are always empty, or that lack their newest element.
import { isObject } from '../../../judge/trace/json.ts';
import { withResponseJson } from '../../../proof/mutations/exchanges.ts';
import type { Json } from '../../../schemas/json.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { acceptedCalls, type HiddenAnswer, ofOperation } from './hidden-answer.ts';

// Ends and `has_more` of a page are changed with its elements, so that nothing else is wrong.

/** Each list always empty, then only where a query parameter is sent; and each without its newest element. */
export function* hiddenElements(run: RecordedRun): Generator<HiddenAnswer> {
  for (const [operation, calls] of acceptedCalls(run)) {
    if (calls[0]?.operation.list == null) continue;
    const parameters = new Set(calls.flatMap(({ query }) => [...query.keys()]));
    // A page that is always empty, then one that is empty for each parameter alone.
    for (const parameter of [null, ...parameters])
      yield {
        kind: 'empty-page',
        operation,
        name: parameter === null ? operation : `${operation} ?${parameter}`,
        event: null,
        place: null,
        hide: ofOperation(operation, (exchange, { query }) =>
          parameter === null || query.has(parameter)
            ? withResponseJson(exchange, (json) => withData(json, []))
            : exchange,
        ),
      };
    yield {
      kind: 'without-newest',
      operation,
      name: operation,
      event: null,
      place: null,
      hide: ofOperation(operation, (exchange) => withResponseJson(exchange, withoutNewest)),
    };
  }
}

/** A page without the element that was created last; of several the first. */
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
