import type { Exchange } from '../../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../../exchange/trace.ts';
import { isObject } from '../../evidence/json.ts';
import { withJsonResponse } from '../../mutations/exchanges.ts';
import { withRequestHeader } from '../../mutations/requests.ts';
import { Call } from '../../trace/call.ts';
import type { EquivalentMutant } from './equivalent-mutant.ts';

/**
 * Repeats each read with the key of another caller, who is shown nothing: objects are not found, and lists of an organization are empty. What
 * one organization has is not there for another (1 Authentication).
 */
export function otherCaller(betaHeader: string): EquivalentMutant {
  return {
    name: 'another caller who is shown nothing',
    apply: (items) => items.flatMap((item) => [item, ...shownToOther(item, betaHeader)]),
  };
}

/** The same request by another caller directly after a read; nothing after other items. */
function shownToOther(item: TraceItem, betaHeader: string): readonly Exchange[] {
  if (isNote(item) || item.request.method !== 'GET' || item.probe !== null) return [];
  const call = Call.of(item, betaHeader);
  if (call?.responseJson === undefined) return [];
  const asked = withRequestHeader(item, 'authorization', 'Bearer sk-another-caller');
  // Fractions keep the ordinals of the other exchanges as they are.
  const between = { id: `${item.id}.5`, after: item.ended, ended: item.ended + 0.5, scenario: null };
  const isOfOrganization =
    isObject(call.responseJson) &&
    Array.isArray(call.responseJson['data']) &&
    !call.operation.path.includes('{');
  return [
    isOfOrganization
      ? { ...withJsonResponse(asked, 200, emptied(call)), ...between }
      : { ...withJsonResponse(asked, 404, { error: { message: 'not found' } }), ...between },
  ];
}

/** The answer of a list without its elements. */
function emptied({ responseJson: answer }: Call) {
  if (!isObject(answer)) return {};
  const ends = 'first_id' in answer ? { first_id: null, last_id: null } : {};
  return { ...answer, ...ends, ...('has_more' in answer ? { has_more: false } : {}), data: [] };
}
