import { choiceOf } from '../rows/rows.ts';
import { arrayAt, numberAt } from '../vocabulary/json.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';
import { STATUS_OPERATIONS } from './batches.ts';
import { knownFilesInBatches } from './known-files.ts';

export const fileBatchesPathOtherSpelling = choiceOf('vector-store-file-batches.path.other-spelling', {
  selector: where(
    requests([...STATUS_OPERATIONS, 'listVectorStoreFileBatchFiles'], { elsewhere: true }),
    ({ call }) => call.hasOtherPath,
  ),
  taken: ({ call: { responseClass: outcome } }) => {
    if (outcome === 'accepted') return 'both are served';
    return outcome === 'absent' ? 'only the one that is shown' : null;
  },
});

export const fileBatchesCountsAtFirst = choiceOf<ResponseEvidence>(
  'vector-store-file-batches.counts.at-first',
  {
    taken: ({ asked, answer }) => {
      const total = numberAt(answer, 'file_counts', 'total');
      if (total === undefined) return null;
      const files = arrayAt(asked, 'file_ids');
      // Another choice concerns whether a repeated file counts once or each time.
      if (total === files.length || total === new Set(files).size) return 'all of them';
      return total === 0 ? 'none yet' : 'another number';
    },
  },
);

export const fileBatchesFilesInStoreBefore = choiceOf('vector-store-file-batches.files.in-store-before', {
  selector: knownFilesInBatches,
  taken: ({ outcome }) => outcome,
});
