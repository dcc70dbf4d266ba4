import type { Resource } from '../generate/relations/resource.ts';

/** A batch moves from state to state by itself, so only the fields of its request stay the same. */
export const batchResource = {
  area: 'batches',
  noun: 'batch',
  spec: '2 Batch',
  create: 'createBatch',
  retrieve: 'retrieveBatch',
  list: 'listBatches',
  moving: [
    'status',
    'errors',
    'output_file_id',
    'error_file_id',
    'request_counts',
    'in_progress_at',
    'expires_at',
    'finalizing_at',
    'completed_at',
    'failed_at',
    'expired_at',
    'cancelling_at',
    'cancelled_at',
  ],
} satisfies Resource;
