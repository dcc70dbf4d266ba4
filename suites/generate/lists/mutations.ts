import type { HttpRequest } from '../../../exchange/exchange.ts';
import { callsOperation, setValue } from '../../vocabulary/changes.ts';
import { withJsonResponse, withResponseJson } from '../../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Exchange, Json, Mutation } from '../../vocabulary/types.ts';

/** The query of a request. */
export function queryOf({ target }: HttpRequest): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '');
}

/** Whether a page is asked for in this order, by name or by default. */
export function hasOrder(order: 'asc' | 'desc'): (exchange: Exchange) => boolean {
  return ({ request }) => (queryOf(request).get('order') ?? 'desc') === order;
}

export function hasElements(...parameters: readonly string[]): (exchange: Exchange) => boolean {
  return ({ request }) => parameters.every((name) => queryOf(request).has(name));
}

/** Turns a page around. */
export const reverseElements = setValue('/data', (data) => arrayAt(data).toReversed());

/** Puts the first element at the end. */
export const moveFirstToEnd = setValue('/data', (data) => [
  ...arrayAt(data).slice(1),
  ...arrayAt(data).slice(0, 1),
]);

/** Gives the page from the beginning of the list where one behind a cursor is asked for. */
export function restartAtBeginning(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const beginnings = trace.filter(
      (exchange) =>
        callsOperation(exchange, operation) &&
        !hasElements('after')(exchange) &&
        !hasElements('before')(exchange),
    );
    return edited(trace, operation, (exchange) => {
      const id = queryOf(exchange.request).get(cursor);
      const whole = beginnings
        .map(({ response }) => arrayAt(response?.body.json?.value, 'data'))
        .find((data) => data.some((element) => valueAtPath(element, 'id') === id));
      return whole === undefined ? exchange : withResponseJson(exchange, setValue('/data', whole));
    });
  };
}

/** Leaves only the last of several elements. */
export const keepOnlyLast = setValue('/data', (data) => arrayAt(data).slice(-1));

/** Puts the element that a cursor names at the front of the page behind it, as far as another page shows that element. */
export function repeatCursorElement(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const shown = elementsOf(trace, operation);
    return edited(trace, operation, (exchange) => {
      const element = shown.get(queryOf(exchange.request).get(cursor) ?? '');
      if (element === undefined) return exchange;
      return withResponseJson(
        exchange,
        setValue('/data', (data) => [element, ...arrayAt(data)]),
      );
    });
  };
}

/** Gives what lies in front of a cursor where the page behind it is asked for, and the other way round. */
export function swapCursorSide(operation: string): Mutation {
  return (trace) =>
    edited(trace, operation, (exchange) => {
      const opposite = trace.find((other) => callsOperation(other, operation) && isOpposite(exchange, other));
      const answer = opposite?.response?.body.json?.value;
      return answer === undefined ? exchange : withJsonResponse(exchange, 200, answer);
    });
}

/** Gives pages with a `before` another stretch of the whole list, as far as another page shows it; places are those of the cursors. */
export function replaceBeforePage(
  operation: string,
  stretch: (whole: readonly Json[], after: number, before: number) => readonly Json[],
): Mutation {
  return (trace) => {
    const pages = trace.filter((exchange) => callsOperation(exchange, operation));
    return edited(trace, operation, (exchange) => {
      const query = queryOf(exchange.request);
      const whole = pages.find((other) => isWholeFor(exchange, other))?.response?.body.json?.value;
      if (!query.has('before') || whole === undefined) return exchange;
      const ids = arrayAt(whole, 'data').map((element) => valueAtPath(element, 'id'));
      const [after, before] = [ids.indexOf(query.get('after') ?? ''), ids.indexOf(query.get('before') ?? '')];
      return withResponseJson(exchange, setValue('/data', stretch(arrayAt(whole, 'data'), after, before)));
    });
  };
}

/**
 * Whether the second response reaches an end of the list that the first request asks for, in the same
 * order.
 */
function isWholeFor({ request: one }: Exchange, { request: other, response }: Exchange): boolean {
  const [a, b] = [queryOf(one), queryOf(other)];
  if (one.target.split('?')[0] !== other.target.split('?')[0]) return false;
  if (b.has('after') || b.has('before') || a.get('order') !== b.get('order')) return false;
  return valueAtPath(response?.body.json?.value, 'has_more') === false;
}

/** Whether two requests for the same list have the same cursor and order, and opposite directions. */
function isOpposite({ request: one }: Exchange, { request: other }: Exchange): boolean {
  const [path] = one.target.split('?');
  if (other.target.split('?')[0] !== path) return false;
  const [a, b] = [queryOf(one), queryOf(other)];
  const crossed = (a.get('after') ?? a.get('before')) === (b.get('before') ?? b.get('after'));
  const sameOrder = a.get('order') === b.get('order');
  return crossed && sameOrder && a.has('after') === b.has('before') && a.has('before') === b.has('after');
}

/** Elements by id, as pages of the operation show them. */
function elementsOf(trace: readonly Exchange[], operation: string): ReadonlyMap<string, Json> {
  const data = trace
    .filter((exchange) => callsOperation(exchange, operation))
    .flatMap(({ response }) => arrayAt(response?.body.json?.value, 'data'));
  return new Map(data.map((element) => [String(valueAtPath(element, 'id')), element]));
}

function edited(
  trace: readonly Exchange[],
  operation: string,
  edit: (exchange: Exchange) => Exchange,
): readonly Exchange[] | null {
  const changed = trace.map((exchange) => (callsOperation(exchange, operation) ? edit(exchange) : exchange));
  return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
}
