import { queryOf, targetPath } from '../../judge/trace/call.ts';
import { callsOperation, inEveryCall, setValue } from '../vocabulary/changes.ts';
import { withJsonResponse, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Exchange, Json, Mutation } from '../vocabulary/types.ts';

export function hasParameter(name: string): (exchange: Exchange) => boolean {
  return ({ request }) => queryOf(request).has(name);
}

export function restartAtBeginning(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const firstPages = trace.filter((exchange) => {
      const query = queryOf(exchange.request);
      return callsOperation(exchange, operation) && !query.has('after') && !query.has('before');
    });
    return inEveryCall(operation, (exchange) => {
      const id = queryOf(exchange.request).get(cursor);
      const firstElements = firstPages
        .map(({ response }) => arrayAt(response?.body.json?.value, 'data'))
        .find((data) => data.some((element) => valueAtPath(element, 'id') === id));
      return firstElements === undefined
        ? exchange
        : withResponseJson(exchange, setValue('/data', firstElements));
    })(trace);
  };
}

export const keepOnlyLast = setValue('/data', (data) => arrayAt(data).slice(-1));

export function repeatCursorElement(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const elements = elementsOf(trace, operation);
    return inEveryCall(operation, (exchange) => {
      const element = elements.get(queryOf(exchange.request).get(cursor) ?? '');
      if (element === undefined) return exchange;
      return withResponseJson(
        exchange,
        setValue('/data', (data) => [element, ...arrayAt(data)]),
      );
    })(trace);
  };
}

export function swapCursorSide(operation: string): Mutation {
  return (trace) =>
    inEveryCall(operation, (exchange) => {
      const opposite = trace.find((other) => callsOperation(other, operation) && isOpposite(exchange, other));
      const answer = opposite?.response?.body.json?.value;
      return answer === undefined ? exchange : withJsonResponse(exchange, 200, answer);
    })(trace);
}

export function isSameList({ request: one }: Exchange, { request: other }: Exchange): boolean {
  if (targetPath(one.target) !== targetPath(other.target)) return false;
  return queryOf(one).get('order') === queryOf(other).get('order');
}

function isOpposite(one: Exchange, other: Exchange): boolean {
  const [a, b] = [queryOf(one.request), queryOf(other.request)];
  const hasCursor = a.has('after') || a.has('before');
  const isCrossed = a.get('after') === b.get('before') && a.get('before') === b.get('after');
  return hasCursor && isCrossed && isSameList(one, other);
}

function elementsOf(trace: readonly Exchange[], operation: string): ReadonlyMap<string, Json> {
  const data = trace
    .filter((exchange) => callsOperation(exchange, operation))
    .flatMap(({ response }) => arrayAt(response?.body.json?.value, 'data'));
  return new Map(data.map((element) => [String(valueAtPath(element, 'id')), element]));
}
