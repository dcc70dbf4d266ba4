// A client that polls seldom misses states. Requirements must accept a trace that shows only the first and the
// last.
import type { Exchange } from '../../../exchange/exchange.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { isNote } from '../../../exchange/trace.ts';
import { textAt } from '../../evidence/json.ts';
import type { EquivalentMutant } from './equivalent-mutant.ts';

/** States between the first and the last. */
const BETWEEN: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

/** Drops the requests that show an intermediate state, so states seem to be skipped. */
export const skippedStates: EquivalentMutant = {
  name: 'intermediate states not observed',
  // Removed exchanges leave gaps in the ordinals, as filtering a trace does; order by ordinals stays correct.
  apply: (items) => items.filter((item) => isNote(item) || !isStatusRequest(item)),
  blinds: true,
};

/** True if the response shows an object in an intermediate state. */
function isStatusRequest({ request, response }: Exchange): boolean {
  if (request.method !== 'GET' || response === null) return false;
  return BETWEEN.has(textAt(decodedContent(response)?.json?.value, 'status'));
}
