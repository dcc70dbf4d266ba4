// Batches (2 Batch). With a state delay of 0 each retrieval advances a batch by one state; lists and cancelling only let
// time pass.

import { filesOf } from '../files/file-store.ts';
import { ApiError, existing } from '../http/api-error.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { Collection } from '../state/collection.ts';
import { pollAfter, SerialQueue, type Service, StateProgress } from '../state/service.ts';
import { advanceBatch, type Batch, type BatchRequest, endedBatch, requestBatchCancel } from './batch.ts';

/** 2 Limits: bytes of an input file. */
const largestInput = 100 * 1024 * 1024;

/** Seconds until a batch expires. */
const day = 24 * 60 * 60;

export const routes: Routes = (service) => {
  const batches = new Collection<Batch>();
  /** The batch of the path, after the transitions that are due by the clock. */
  const need = async (id = ''): Promise<Batch> => {
    const batch = existing(batches.get(id), 'batch', id);
    await advanceBatch(service, batch, batch.progress.steps);
    return batch;
  };
  return [
    // The file is validated by the first transition, so a bad file fails the batch, not the request.
    serves<BatchRequest>('createBatch', ({ body }) => batches.add(create(service, body)).shown),
    serves('listBatches', async ({ query }) => {
      const found = listPage(batches, query);
      for (const batch of found.data) await advanceBatch(service, batch, batch.progress.steps);
      return listEnvelope(found, ({ shown }) => shown);
    }),
    // A batch that has ended is not advanced, so that its timestamps stay.
    serves('retrieveBatch', async ({ path }) => {
      const batch = await need(path['batch_id']);
      if (!endedBatch(batch.shown)) await advanceBatch(service, batch, batch.progress.read());
      return new JsonResponse(batch.shown, pollAfter(service));
    }),
    serves('cancelBatch', async ({ path }) => {
      const batch = await need(path['batch_id']);
      await requestBatchCancel(service, batch);
      return batch.shown;
    }),
  ];
};

/**
 * A new batch. Its file is validated when it advances, because that may take minutes. Both times come from one moment,
 * so that it expires exactly one day after its creation. @throws ApiError 400 for a file that does not exist, has
 * another purpose, or is too large.
 */
function create(service: Service, body: BatchRequest): Batch {
  const file = filesOf(service).get(body.input_file_id);
  if (file === undefined) {
    throw ApiError.invalid('input_file_id', `'input_file_id' names no file: '${body.input_file_id}'.`);
  }
  if (file.purpose !== 'batch') {
    throw ApiError.invalid(
      'input_file_id',
      `'input_file_id' must have purpose 'batch', but has '${file.purpose}'.`,
    );
  }
  if (file.bytes > largestInput) {
    throw ApiError.invalid('input_file_id', `The input file must have at most ${largestInput} bytes.`);
  }
  const now = service.now();
  const id = service.id('batch_');
  const shown: Batch['shown'] = {
    id,
    object: 'batch',
    endpoint: body.endpoint,
    errors: null,
    input_file_id: file.id,
    completion_window: body.completion_window,
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    created_at: now,
    in_progress_at: null,
    expires_at: now + day,
    finalizing_at: null,
    completed_at: null,
    failed_at: null,
    expired_at: null,
    cancelling_at: null,
    cancelled_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: body.metadata ?? null,
  };
  return { id, shown, progress: new StateProgress(service), turns: new SerialQueue(), moved: 0, done: 0 };
}
