import { Answer } from '../answer.ts';
import { type Batch, type BatchRequest, ended } from '../batch/batch.ts';
import { cancel, catchUp } from '../batch/moves.ts';
import type { Routes } from '../call.ts';
import { Collection } from '../collection.ts';
import { filesOf } from '../file-store.ts';
import { envelope, page } from '../list.ts';
import { Progress, pollAfter } from '../progress.ts';
import { Refusal } from '../refusal.ts';
import { serves } from '../route.ts';
import type { Service } from '../service.ts';
import { Turns } from '../turns.ts';

/** 2 Limits: bytes of an input file. */
const largestInput = 100 * 1024 * 1024;

const day = 24 * 60 * 60;

export const routes: Routes = (service) => {
  const batches = new Collection<Batch>();
  /** The batch of the path, with the moves that the clock has made due. */
  const need = async (id = ''): Promise<Batch> => {
    const batch = batches.get(id);
    if (batch === undefined) throw Refusal.missing('batch', id);
    await catchUp(service, batch, batch.progress.steps);
    return batch;
  };
  return [
    serves<BatchRequest>('createBatch', ({ body }) => batches.add(create(service, body)).shown),
    serves('listBatches', async ({ query }) => {
      const found = page(batches, query);
      for (const batch of found.data) await catchUp(service, batch, batch.progress.steps);
      return envelope(found, ({ shown }) => shown);
    }),
    serves('retrieveBatch', async ({ path }) => {
      const batch = await need(path['batch_id']);
      if (!ended(batch.shown)) await catchUp(service, batch, batch.progress.read());
      return new Answer(batch.shown, pollAfter(service));
    }),
    serves('cancelBatch', async ({ path }) => {
      const batch = await need(path['batch_id']);
      await cancel(service, batch);
      return batch.shown;
    }),
  ];
};

function create(service: Service, body: BatchRequest): Batch {
  const file = filesOf(service).get(body.input_file_id);
  if (file === undefined) {
    throw Refusal.invalid('input_file_id', `'input_file_id' names no file: '${body.input_file_id}'.`);
  }
  if (file.purpose !== 'batch') {
    throw Refusal.invalid(
      'input_file_id',
      `'input_file_id' must have purpose 'batch', but has '${file.purpose}'.`,
    );
  }
  if (file.bytes > largestInput) {
    throw Refusal.invalid('input_file_id', `The input file must have at most ${largestInput} bytes.`);
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
  return { id, shown, progress: new Progress(service), turns: new Turns(), moved: 0, done: 0 };
}
