import { rejectValidProbes } from '../../generate/rule-probes.ts';
import { mustAccept, probeResults } from '../../vocabulary/selectors.ts';
import { section } from '../../vocabulary/statements.ts';
import { FORCED_SEARCH } from '../samples.ts';

/** The file search is one of the values that the type column lists. */
export const forcedSearch = (['createRun', 'createThreadAndRun'] as const).map((operation) =>
  section('1 Runs').stated(`runs.tool-choice.file-search${operation === 'createRun' ? '' : '-with-thread'}`, {
    says: `A request of ${operation} may force the file search.`,
    selector: probeResults(operation, FORCED_SEARCH),
    check: mustAccept,
    mutations: {
      refused: rejectValidProbes(FORCED_SEARCH),
      'refused as semantically wrong': rejectValidProbes(FORCED_SEARCH, 422),
    },
  }),
);
