// Conditions on exchanges, for `inResponseWhere`: which responses of an operation a mutation changes.
import type { Exchange } from '../../exchange/exchange.ts';
import { valueAtPath } from '../../judge/trace/json.ts';

/** Whether an exchange is changed. */
export type ExchangeCondition = (exchange: Exchange) => boolean;

/** The request has a value in this field, and not null. Example: `requestSets('metadata')`. */
export function requestSets(field: string): ExchangeCondition {
  return ({ request }) => (valueAtPath(request.body.json?.value, field) ?? null) !== null;
}

/** The request does not have this field, not even as null. Example: `requestLeavesOut('model')`. */
export function requestLeavesOut(field: string): ExchangeCondition {
  return ({ request }) => valueAtPath(request.body.json?.value, field) === undefined;
}
