// Batches (2 Batch). With a state delay of 0, each retrieval advances a batch by one transition; a list advances none.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchLine, type BatchProblem, checkBatchInput, parseBatchLine } from '../files/batch-input.ts';
import { checkFile, filesOf } from '../files/file-store.ts';
import { readLines } from '../files/lines.ts';
import { ApiError, requireObject } from '../http/api-error.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { Collection } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import { pollAfter, Transitions } from '../state/transitions.ts';

/** Limit of the input file (2 Limits). */
const MAX_INPUT_BYTES = 100 * 1024 * 1024;
const BATCH_LIFETIME_SECONDS = 24 * 60 * 60;
/** Bounds the time that one transition takes. */
const LINES_PER_TRANSITION = 500;

/** The response to a request with `stream` true: a line of a file cannot contain a stream. */
const STREAM_REFUSAL = {
  status: 400,
  body: ApiError.invalid('stream', "'stream' cannot be true in a batch.").envelope(),
};

export const routes: Routes = (service) => {
  const batches = new Collection<Batch>();
  const needBatch = async (id = ''): Promise<Batch> => {
    const batch = requireObject(batches.get(id), 'batch', id);
    await batch.transitions.catchUp();
    return batch;
  };
  return [
    // The lines are validated in the first transition, so a bad line fails the batch, not the request.
    serves<BatchRequest>('createBatch', ({ body }) => batches.add(createBatch(service, body)).shown),
    serves('listBatches', async ({ query }) => {
      const page = listPage(batches, query);
      for (const { transitions } of page.data) await transitions.catchUp();
      return listEnvelope(page, ({ shown }) => shown);
    }),
    serves('retrieveBatch', async ({ path }) => {
      const batch = await needBatch(path['batch_id']);
      await batch.transitions.read();
      return new JsonResponse(batch.shown, pollAfter(service));
    }),
    serves('cancelBatch', async ({ path }) => {
      const batch = await needBatch(path['batch_id']);
      await cancelBatch(service, batch);
      return batch.shown;
    }),
  ];
};

function createBatch(service: Service, body: BatchRequest): Batch {
  const file = checkFile(service, body.input_file_id, 'input_file_id', 'batch');
  if (file.bytes > MAX_INPUT_BYTES) {
    throw ApiError.invalid('input_file_id', `The input file must have at most ${MAX_INPUT_BYTES} bytes.`);
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
    expires_at: now + BATCH_LIFETIME_SECONDS,
    finalizing_at: null,
    completed_at: null,
    failed_at: null,
    expired_at: null,
    cancelling_at: null,
    cancelled_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: body.metadata ?? null,
  };
  const batch: Batch = {
    id,
    shown,
    transitions: new Transitions(
      service,
      () => FINAL_STATES.has(shown.status),
      (at) => advanceBatch(service, batch, at),
    ),
    doneLines: 0,
  };
  return batch;
}

type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled';

interface BatchRequest {
  readonly input_file_id: string;
  readonly endpoint: string;
  readonly completion_window: '24h';
  readonly metadata?: Readonly<Record<string, string>> | null;
}

interface BatchObject {
  readonly id: string;
  readonly object: 'batch';
  readonly endpoint: string;
  /** Null unless validation found problems. */
  errors: { readonly object: 'list'; readonly data: readonly BatchProblem[] } | null;
  readonly input_file_id: string;
  readonly completion_window: string;
  status: BatchStatus;
  /** File of the responses below 400; null until the batch ends, and if the file would be empty. */
  output_file_id: string | null;
  /** File of the responses of 400 and above; null until the batch ends, and normally if no request failed. */
  error_file_id: string | null;
  /** All times are in Unix seconds; the time of a state is null until the batch enters it. */
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

interface Batch {
  readonly id: string;
  readonly shown: BatchObject;
  /**
   * validating → in_progress → finalizing → completed, or failed for a bad input file; cancelling → cancelled; expired
   * after 24 hours. A large batch stays in progress for several transitions.
   */
  readonly transitions: Transitions;
  /** Number of lines of the input file, without blank ones, that were run or skipped. */
  doneLines: number;
}

const FINAL_STATES: ReadonlySet<BatchStatus> = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** Starts the cancellation of a batch that has not ended. @throws ApiError 409 or 422 if it is refused. */
function cancelBatch(service: Service, batch: Batch): Promise<void> {
  return batch.transitions.runAlone(async () => {
    const { shown } = batch;
    const isLate = service.takes('batches.cancel.in-time') === 'too late';
    if (isLate) while (!FINAL_STATES.has(shown.status)) await advanceBatch(service, batch, service.now());
    if (FINAL_STATES.has(shown.status)) {
      if (service.takes('batches.cancel.too-late') === 'returned unchanged') return;
      throw ApiError.uncancellable(`Batch '${batch.id}' cannot be cancelled: it is ${shown.status}.`, isLate);
    }
    if (shown.status === 'cancelling') {
      if (service.takes('batches.cancel.again') === 'returned unchanged') return;
      throw ApiError.uncancellable(`Batch '${batch.id}' is being cancelled already.`);
    }
    // The specification does not define the cancellation of a batch under validation.
    const outcome =
      shown.status === 'validating' ? service.takes('batches.cancel.while-validating') : 'cancelling';
    if (outcome === 'refused') throw ApiError.uncancellable(`Batch '${batch.id}' is not in progress yet.`);
    // Requests that were sent stay in the output: a cancellation does not undo them.
    const now = service.now();
    enterState(shown, 'cancelling', now);
    if (outcome === 'cancelled') await advanceBatch(service, batch, now);
  });
}

async function advanceBatch(service: Service, batch: Batch, at: number): Promise<void> {
  const { shown } = batch;
  const end = async (status: 'completed' | 'expired' | 'cancelled'): Promise<void> => {
    await registerResultFiles(service, batch);
    enterState(shown, status, at);
  };
  // A cancellation is completed even after 24 hours; otherwise expiry precedes every other transition.
  if (shown.status === 'cancelling') return end('cancelled');
  if (at >= shown.expires_at) return end('expired');
  if (shown.status === 'finalizing') return end('completed');
  if (shown.status === 'validating') return validateInput(service, shown, at);
  if (shown.status !== 'in_progress') return;
  const file = filesOf(service).all.get(shown.input_file_id);
  // A batch whose input file is deleted while it runs ends with the results it has.
  if (file === undefined || (await runLines(service, batch, file.content.ensureFile())))
    enterState(shown, 'finalizing', at);
}

/** `at` is in Unix seconds. */
function enterState(shown: BatchObject, status: Exclude<BatchStatus, 'validating'>, at: number): void {
  shown.status = status;
  shown[`${status}_at`] = at;
}

async function validateInput(service: Service, shown: BatchObject, at: number): Promise<void> {
  const file = filesOf(service).all.get(shown.input_file_id);
  const missingFile = {
    code: 'missing_file',
    message: 'The input file was deleted.',
    param: 'input_file_id',
    line: null,
  };
  const { total, problems } =
    file === undefined
      ? { total: 0, problems: [missingFile] }
      : await checkBatchInput(file.content.ensureFile(), shown.endpoint);
  if (problems.length > 0) {
    shown.errors = { object: 'list', data: problems };
    const areAllInLines = problems.every(({ line }) => line !== null);
    const isCompleted = areAllInLines && service.takes('batches.errors.end-state') === 'completed';
    return enterState(shown, isCompleted ? 'completed' : 'failed', at);
  }
  shown.request_counts.total = total;
  enterState(shown, 'in_progress', at);
}

/** Returns whether all lines were run or skipped. */
async function runLines(service: Service, batch: Batch, path: string): Promise<boolean> {
  const end = batch.doneLines + LINES_PER_TRANSITION;
  let position = 0;
  for await (const { text } of readLines(path)) {
    position += 1;
    if (position <= batch.doneLines) continue;
    if (position > end) return false;
    const line = parseBatchLine(text, batch.shown.endpoint);
    // The file was validated, but may have changed on disk since.
    if (!('problem' in line)) await runLine(service, batch, line);
    batch.doneLines = position;
  }
  return true;
}

async function runLine(service: Service, batch: Batch, { custom_id, url, body }: BatchLine): Promise<void> {
  const { status, body: answer } = body['stream'] === true ? STREAM_REFUSAL : await service.post(url, body);
  const response = { status_code: status, request_id: service.id('req_'), body: answer };
  const isSuccess = status < 400;
  const content = isSuccess ? { response, error: null } : failedContent(service, response);
  const line = JSON.stringify({ id: service.id('batch_req_'), custom_id, ...content });
  await appendFile(resultPath(service, batch, isSuccess ? 'output' : 'error'), `${line}\n`);
  batch.shown.request_counts[isSuccess ? 'completed' : 'failed'] += 1;
}

function failedContent(service: Service, response: object) {
  const { error } = ApiError.invalid('body', 'The request was not successful.', 'request_failed').envelope();
  switch (service.takes('batches.error-line.response')) {
    case 'an error':
      return { response: null, error };
    case 'both':
      return { response, error };
    default:
      // The field `error` is for requests that were not executed.
      return { response, error: null };
  }
}

/** A file without lines is not created and its id stays null, except for the alternative with an empty error file. */
async function registerResultFiles(service: Service, batch: Batch): Promise<void> {
  const { completed, failed } = batch.shown.request_counts;
  const files = filesOf(service);
  const purpose = service.takes('batches.results.purpose');
  const register = async (kind: 'output' | 'error') =>
    (await files.adopt(resultPath(service, batch, kind), `${batch.id}_${kind}.jsonl`, purpose)).id;
  batch.shown.output_file_id = completed > 0 ? await register('output') : null;
  if (failed === 0) {
    if (service.takes('batches.completed.error-file') !== 'a file') return;
    await appendFile(resultPath(service, batch, 'error'), '');
  }
  batch.shown.error_file_id = await register('error');
}

function resultPath(service: Service, batch: Batch, kind: 'output' | 'error'): string {
  return join(service.directory, `${batch.id}.${kind}`);
}
