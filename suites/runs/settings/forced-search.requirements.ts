import { rejectValidProbes } from '../../generate/probes/rule-probes.ts';
import { mustAccept, probeResults } from '../../vocabulary/selectors.ts';
import { requirement } from '../../vocabulary/statements.ts';
import { FORCED_SEARCH } from '../samples.ts';

/** The file search is one of the values that the type column lists. */
export const forcedSearch = (['createRun', 'createThreadAndRun'] as const).map((operation) =>
  requirement({
    id: `runs.tool-choice.file-search${operation === 'createRun' ? '' : '-with-thread'}`,
    level: 'MUST',
    basis: 'stated',
    spec: '1 Runs',
    says: `A request of ${operation} may force the file search.`,
    selector: probeResults(operation, FORCED_SEARCH),
    check: mustAccept,
    mutations: {
      refused: rejectValidProbes(FORCED_SEARCH),
      'refused as semantically wrong': rejectValidProbes(FORCED_SEARCH, 422),
    },
  }),
);
