import type { Exchange } from '../../../exchange/exchange.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { isNote } from '../../../exchange/trace.ts';
import { textAt } from '../../evidence/json.ts';
import type { EquivalentMutant } from './equivalent-mutant.ts';

/** States between the first and the last of what takes its time. */
const BETWEEN: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

/** Nobody looks while something is under way, so that its states seem to jump; what is seen less proves less. */
export const skippedStates: EquivalentMutant = {
  name: 'intermediate states not observed',
  apply: (items) => items.filter((item) => isNote(item) || !isStatusRequest(item)),
  blinds: true,
};

function isStatusRequest({ request, response }: Exchange): boolean {
  if (request.method !== 'GET' || response === null) return false;
  return BETWEEN.has(textAt(decodedContent(response)?.json?.value, 'status'));
}
