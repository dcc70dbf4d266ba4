import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { Call } from '../../judge/trace/call.ts';
import { isPage, pageWith } from '../mutations/evasions.ts';
import { withJsonResponse } from '../mutations/exchanges.ts';
import { withRequestHeader } from '../mutations/requests.ts';

/** Repeats reads that got JSON, with the key of a caller for whom no objects exist (1 Authentication). */
export function otherCaller(betaHeader: string): EquivalentMutant {
  return {
    name: 'another caller who is shown nothing',
    apply: (items) => items.flatMap((item) => [item, ...readsOfOtherCaller(item, betaHeader)]),
  };
}

function readsOfOtherCaller(item: TraceItem, betaHeader: string): readonly Exchange[] {
  if (isNote(item) || item.request.method !== 'GET' || item.probe !== null) return [];
  const call = Call.from(item, betaHeader);
  if (call?.responseJson === undefined) return [];
  const read = withRequestHeader(item, 'authorization', 'Bearer sk-another-caller');
  // Fractions keep the ordinals of the other exchanges as they are.
  const between = { id: `${item.id}.5`, after: item.ended, ended: item.ended + 0.5, scenario: null };
  const listsAllObjects = isPage(call.responseJson) && !call.operation.path.includes('{');
  const answer = listsAllObjects
    ? withJsonResponse(read, 200, pageWith(call.responseJson, []))
    : withJsonResponse(read, 404, { error: { message: 'not found' } });
  return [{ ...answer, ...between }];
}
