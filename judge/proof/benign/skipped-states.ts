import { decoded } from '../../../exchange/content.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { isNote } from '../../../exchange/trace.ts';
import { text } from '../../json.ts';
import type { Benign } from './benign.ts';

/** States between the first and the last of what takes its time. */
const BETWEEN: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

/** Nobody looks while something is under way, so that its states seem to jump; what is seen less proves less. */
export const skippedStates: Benign = {
  name: 'states in between that nobody saw',
  apply: (items) => items.filter((item) => isNote(item) || !isLook(item)),
  blinds: true,
};

function isLook({ request, response }: Exchange): boolean {
  if (request.method !== 'GET' || response === null) return false;
  return BETWEEN.has(text(decoded(response)?.json?.value, 'status'));
}
