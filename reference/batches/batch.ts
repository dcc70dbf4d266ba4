import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf } from '../files/file-store.ts';
import { type BatchLine, type BatchProblem, checkInput, parseLine, readLines } from '../files/lines.ts';
import { ApiError } from '../http/api-error.ts';
import type { SerialQueue, Service, StateProgress } from '../state/service.ts';

/** The states of a batch; `failed`, `completed`, `expired` and `cancelled` are final. */
type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled';

export interface BatchRequest {
  readonly input_file_id: string;
  readonly endpoint: string;
  readonly completion_window: '24h';
  readonly metadata?: Readonly<Record<string, string>> | null;
}

interface BatchObject {
  readonly id: string;
  readonly object: 'batch';
  readonly endpoint: string;
  /** Problems of the input file; null unless the batch failed. */
  errors: { readonly object: 'list'; readonly data: readonly BatchProblem[] } | null;
  readonly input_file_id: string;
  readonly completion_window: string;
  status: BatchStatus;
  /** Responses below 400; null until the batch ends, and when the file would be empty. */
  output_file_id: string | null;
  /** Responses of 400 and above; null like the output file. */
  error_file_id: string | null;
  /** All times are Unix seconds; null until the batch enters that state. */
  readonly created_at: number;
  in_progress_at: number | null;
  readonly expires_at: number;
  finalizing_at: number | null;
  completed_at: number | null;
  failed_at: number | null;
  expired_at: number | null;
  cancelling_at: number | null;
  cancelled_at: number | null;
  /** `total` is 0 until the file is validated; the other two grow while the batch runs. */
  request_counts: { total: number; completed: number; failed: number };
  readonly metadata: Readonly<Record<string, string>> | null;
}

export interface Batch {
  readonly id: string;
  readonly shown: BatchObject;
  readonly progress: StateProgress;
  /** Advances the batch serially, so that two retrievals never make the same transition twice. */
  readonly turns: SerialQueue;
  moved: number;
  /** Line of the input file up to which requests were made. */
  done: number;
}

export function endedBatch({ status }: BatchObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled';
}

/**
 * Makes the transitions that are due (`steps` in total since creation): validating → in_progress → finalizing →
 * completed, or failed for a bad input file; cancelling → cancelled; expired after 24 hours. A large batch stays in
 * progress for several retrievals.
 */
export function advanceBatch(service: Service, batch: Batch, steps: number): Promise<void> {
  return batch.turns.take(async () => {
    while (batch.moved < steps && !endedBatch(batch.shown)) {
      batch.moved += 1;
      await move(service, batch, batch.progress.at(batch.moved));
    }
  });
}

/**
 * Requests the cancellation; the next transition completes it. @throws ApiError 409 if the batch has ended or is being
 * cancelled, and the service rejects that; 422 if the service always cancels too late.
 */
export function requestBatchCancel(service: Service, batch: Batch): Promise<void> {
  return batch.turns.take(async () => {
    const { shown } = batch;
    const isLate = service.takes('batches.cancel.in-time') === 'too late';
    if (isLate) while (!endedBatch(shown)) await move(service, batch, service.now());
    if (endedBatch(shown)) {
      if (service.takes('batches.cancel.too-late') === 'returned unchanged') return;
      throw ApiError.uncancellable(`Batch '${batch.id}' cannot be cancelled: it is ${shown.status}.`, isLate);
    }
    if (shown.status === 'cancelling') {
      if (service.takes('batches.cancel.again') === 'returned unchanged') return;
      throw ApiError.uncancellable(`Batch '${batch.id}' is being cancelled already.`);
    }
    // The specification does not say what cancelling a batch does while it is validated.
    const early =
      shown.status === 'validating' ? service.takes('batches.cancel.while-validating') : 'cancelling';
    if (early === 'refused') throw ApiError.uncancellable(`Batch '${batch.id}' is not in progress yet.`);
    shown.status = 'cancelling';
    // Requests that were sent stay in the output: a cancellation does not undo them.
    shown.cancelling_at = service.now();
    if (early === 'cancelled') await move(service, batch, shown.cancelling_at);
  });
}

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
    const areInLines = problems.every(({ line }) => line !== null);
    if (areInLines && service.takes('batches.errors.end-state') === 'completed') {
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

/** A batch whose input file is deleted while it runs ends with the results it has. */
async function work(service: Service, batch: Batch, at: number): Promise<void> {
  const file = filesOf(service).get(batch.shown.input_file_id);
  if (file !== undefined && !(await runLines(service, batch, file.content.file()))) return;
  batch.shown.finalizing_at = at;
  enter(batch, 'finalizing');
}

function enter(batch: Batch, status: BatchStatus): void {
  batch.shown.status = status;
}

/** Maximum number of requests that one retrieval of the batch waits for. */
const atOnce = 500;

/** Sends the next requests of a batch to the service itself; returns true when all have been sent. */
async function runLines(service: Service, batch: Batch, path: string): Promise<boolean> {
  const until = batch.done + atOnce;
  let position = 0;
  for await (const { text } of readLines(path)) {
    position += 1;
    if (position <= batch.done) continue;
    if (position > until) return false;
    const line = parseLine(text, batch.shown.endpoint);
    // The file was validated, but it belongs to the client and may have changed on disk.
    if ('problem' in line) continue;
    await runLine(service, batch, line);
    batch.done = position;
  }
  return true;
}

async function runLine(service: Service, batch: Batch, { custom_id, url, body }: BatchLine): Promise<void> {
  const { status, body: answer } = body['stream'] === true ? streamed : await service.post(url, body);
  const response = { status_code: status, request_id: service.id('req_'), body: answer };
  // `error` is for requests that were not executed.
  const good = status < 400;
  const content = good ? { response, error: null } : failedContent(service, response);
  const line = JSON.stringify({ id: service.id('batch_req_'), custom_id, ...content });
  await appendFile(pathOf(service, batch, good ? 'output' : 'error'), `${line}\n`);
  batch.shown.request_counts[good ? 'completed' : 'failed'] += 1;
}

function failedContent(service: Service, response: object) {
  const error = {
    code: 'request_failed',
    message: 'The request was not successful.',
    param: 'body',
    type: 'invalid_request_error',
  };
  switch (service.takes('batches.error-line.response')) {
    case 'an error':
      return { response: null, error };
    case 'both':
      return { response, error };
    default:
      return { response, error: null };
  }
}

/** The response to a request with `stream`: a line of a file cannot hold a stream. */
const streamed = {
  status: 400,
  body: {
    error: {
      message: "'stream' cannot be true in a batch.",
      type: 'invalid_request_error',
      param: 'stream',
      code: null,
    },
  },
};

/** Registers the output and error files. An empty file is not registered, and its id stays null. */
async function writeBatchOutput(service: Service, batch: Batch): Promise<void> {
  const { completed, failed } = batch.shown.request_counts;
  const files = filesOf(service);
  const make = async (kind: 'output' | 'error') => {
    const path = pathOf(service, batch, kind);
    const file = await files.adopt(
      path,
      `${batch.id}_${kind}.jsonl`,
      service.takes('batches.results.purpose'),
    );
    return file.id;
  };
  batch.shown.output_file_id = completed > 0 ? await make('output') : null;
  if (failed === 0 && service.takes('batches.completed.error-file') === 'a file')
    await appendFile(pathOf(service, batch, 'error'), '');
  else if (failed === 0) return;
  batch.shown.error_file_id = await make('error');
}

function pathOf(service: Service, batch: Batch, kind: 'output' | 'error'): string {
  return join(service.directory, `${batch.id}.${kind}`);
}
