import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';

const noneInProgress = requirementFromRow('vector-store-file-batches.completed.none-in-progress');

test.each([
  ['completed', 2, 1, 1],
  ['completed', 0, 1, 0],
  ['cancelled', 2, 0, 0],
  ['in_progress', 2, 0, 0],
])(
  'a batch that is %s after its cancellation began, with %i files in progress, gives %i observations and %i violations',
  (status, in_progress, observationCount, violationCount) => {
    const path = { vector_store_id: 'vs_1', batch_id: 'vsfb_1' };
    const trace = new TraceBuilder();
    trace.add('cancelVectorStoreFileBatch', { path }, { json: { id: 'vsfb_1', status: 'cancelling' } });
    const json = { id: 'vsfb_1', status, file_counts: { in_progress, completed: 1, total: 3 } };
    trace.add('retrieveVectorStoreFileBatch', { path }, { json });
    const { observations, violations } = judgeRequirement(noneInProgress, trace.exchanges);
    expect([observations, violations.length]).toEqual([observationCount, violationCount]);
  },
);
