import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../server/api-error.ts';
import type { Service } from '../state/service.ts';
import { type Batch, type BatchStatus, endedBatch } from './batch.ts';
import { checkInput } from './input.ts';
import { runLines, writeBatchOutput } from './output.ts';

/**
 * Makes the transitions that are due (`steps` in all since creation): validating → in_progress → finalizing → completed, or failed for a bad input file;
 * cancelling → cancelled; after 24 hours expired. A large batch stays in progress for several retrievals.
 */
export function advanceBatch(service: Service, batch: Batch, steps: number): Promise<void> {
  return batch.turns.take(async () => {
    while (batch.moved < steps && !endedBatch(batch.shown)) {
      batch.moved += 1;
      await move(service, batch, batch.progress.at(batch.moved));
    }
  });
}

/** Requests the cancellation; the next transition completes it. @throws ApiError 400 when the batch has ended. */
export function requestBatchCancel(service: Service, batch: Batch): Promise<void> {
  return batch.turns.take(async () => {
    const { shown } = batch;
    if (endedBatch(shown)) {
      if (service.takes('batches.cancel.too-late') === 'returned unchanged') return;
      throw ApiError.invalid(null, `Batch '${batch.id}' cannot be cancelled: it is ${shown.status}.`);
    }
    if (shown.status === 'cancelling') {
      if (service.takes('batches.cancel.again') === 'returned unchanged') return;
      throw ApiError.invalid(null, `Batch '${batch.id}' is being cancelled already.`);
    }
    // A batch that is validated is not in progress yet: the specification leaves open what its cancellation does.
    const early =
      shown.status === 'validating' ? service.takes('batches.cancel.while-validating') : 'cancelling';
    if (early === 'refused') throw ApiError.invalid(null, `Batch '${batch.id}' is not in progress yet.`);
    shown.status = 'cancelling';
    // Requests that were sent stay in the output: a cancellation does not undo them.
    shown.cancelling_at = service.now();
    if (early === 'cancelled') await move(service, batch, shown.cancelling_at);
  });
}

/** Makes one transition; `at` is its time in Unix seconds. */
async function move(service: Service, batch: Batch, at: number): Promise<void> {
  // Expiry comes first: after 24 hours no other transition is possible, except that a cancellation is
  // completed.
  const { shown } = batch;
  if (at >= shown.expires_at && shown.status !== 'cancelling') {
    await writeBatchOutput(service, batch);
    shown.expired_at = at;
    enter(batch, 'expired');
    return;
  }
  switch (shown.status) {
    case 'validating':
      return validate(service, batch, at);
    case 'in_progress':
      return work(service, batch, at);
    case 'finalizing':
      await writeBatchOutput(service, batch);
      shown.completed_at = at;
      return enter(batch, 'completed');
    case 'cancelling':
      await writeBatchOutput(service, batch);
      shown.cancelled_at = at;
      return enter(batch, 'cancelled');
    default:
      return;
  }
}

/** Reads the whole input file; one invalid line fails the batch before any request is sent. */
async function validate(service: Service, batch: Batch, at: number): Promise<void> {
  const { shown } = batch;
  const file = filesOf(service).get(shown.input_file_id);
  const gone = {
    code: 'missing_file',
    message: 'The input file was deleted.',
    param: 'input_file_id',
    line: null,
  };
  const { total, problems } =
    file === undefined
      ? { total: 0, problems: [gone] }
      : await checkInput(file.content.file(), shown.endpoint);
  if (problems.length > 0) {
    shown.errors = { object: 'list', data: problems };
    if (service.takes('batches.errors.end-state') === 'completed') {
      shown.completed_at = at;
      return enter(batch, 'completed');
    }
    shown.failed_at = at;
    return enter(batch, 'failed');
  }
  shown.request_counts.total = total;
  shown.in_progress_at = at;
  enter(batch, 'in_progress');
}

/** Sends the next requests. A batch whose input file is deleted meanwhile ends with the results it has. */
async function work(service: Service, batch: Batch, at: number): Promise<void> {
  const file = filesOf(service).get(batch.shown.input_file_id);
  if (file !== undefined && !(await runLines(service, batch, file.content.file()))) return;
  batch.shown.finalizing_at = at;
  enter(batch, 'finalizing');
}

/** The last step of a transition, after the fields that belong to the state are set. */
function enter(batch: Batch, status: BatchStatus): void {
  batch.shown.status = status;
}
