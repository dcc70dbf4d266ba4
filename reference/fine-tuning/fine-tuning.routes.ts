// Fine-tuning jobs with their events and checkpoints (2 Fine-tuning). With a state delay of 0 each retrieval advances a
// job by one state; lists make only the transitions that are due by the clock.
import { checkFile, filesOf } from '../files/file-store.ts';
import { isJsonLinesName } from '../files/lines.ts';
import { type InvalidExample, readExamples, type TrainingExamples } from '../files/training-examples.ts';
import { ApiError, checkRange, requireObject } from '../http/api-error.ts';
import type { JsonObject } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { type Model, modelsOf } from '../model/catalogue.ts';
import { Collection } from '../state/collection.ts';
import { hashText } from '../state/ids.ts';
import type { Service } from '../state/service.ts';
import { pollAfter, Transitions } from '../state/transitions.ts';

/** Bounds the work of one job. */
const MAX_EPOCHS = 50;
const DEFAULT_EPOCHS = 3;
/** Default number of checkpoints per page (2 Fine-tuning). */
const CHECKPOINTS_PER_PAGE = 10;
/** Maximum number of reported steps; a longer training reports only every second, third, … step. */
const MAX_STEP_EVENTS = 100;

const CSV_HEAD = 'step,train_loss,train_mean_token_accuracy,valid_loss,valid_mean_token_accuracy';

/** Lists of jobs and events have neither `first_id` nor `last_id` (2 Fine-tuning). */
export const routes: Routes = (service) => {
  const jobs = new Collection<Job>();
  const needJob = async (id = ''): Promise<Job> => {
    const job = requireObject(jobs.get(id), 'fine-tuning job', id);
    await job.transitions.catchUp();
    return job;
  };
  return [
    serves<JobRequest>('createFineTuningJob', ({ body }) => jobs.add(createJob(service, body)).shown),
    serves('listFineTuningJobs', async ({ query }) => {
      for (const { transitions } of jobs.values()) await transitions.catchUp();
      const page = listPage(jobs, query);
      return { object: 'list', data: page.data.map(({ shown }) => shown), has_more: page.hasMore };
    }),
    serves('retrieveFineTuningJob', async ({ path }) => {
      const job = await needJob(path['fine_tuning_job_id']);
      await job.transitions.read();
      return new JsonResponse(job.shown, pollAfter(service));
    }),
    serves('cancelFineTuningJob', async ({ path }) => {
      const job = await needJob(path['fine_tuning_job_id']);
      await cancelJob(service, job);
      return job.shown;
    }),
    serves('listFineTuningEvents', async ({ path, query }) => {
      const { events } = await needJob(path['fine_tuning_job_id']);
      const page = listPage(events, query);
      return { object: 'list', data: page.data, has_more: page.hasMore };
    }),
    serves('listFineTuningCheckpoints', async ({ path, query }) => {
      const { checkpoints } = await needJob(path['fine_tuning_job_id']);
      return listEnvelope(listPage(checkpoints, query, undefined, CHECKPOINTS_PER_PAGE), (shown) => shown);
    }),
  ];
};

/** Throws ApiError 400 or 404 for an unsuitable model, file or hyperparameter. Files are read when the job advances. */
function createJob(service: Service, body: JobRequest): Job {
  const base = modelsOf(service).need(body.model, 'fine-tuning');
  checkFile(service, body.training_file, 'training_file', 'fine-tune');
  if (typeof body.validation_file === 'string') {
    checkFile(service, body.validation_file, 'validation_file', 'fine-tune');
    if (body.validation_file === body.training_file) {
      throw ApiError.invalid(
        'validation_file',
        "'validation_file' must not share data with 'training_file'.",
      );
    }
  }
  checkHyperparameters(body.hyperparameters ?? {});
  const shown = newJobObject(service, body);
  const job: Job = {
    id: shown.id,
    shown,
    base,
    suffix: body.suffix ?? '',
    events: new Collection(),
    checkpoints: new Collection(),
    transitions: new Transitions(
      service,
      () => FINAL_STATES.has(shown.status),
      (at) => advanceJob(service, job, at),
    ),
  };
  addJobEvent(service, job, service.now(), `Created fine-tuning job: ${job.id}`);
  return job;
}

/** Throws ApiError 400 for anything but `auto` and numbers in range, because the schema leaves hyperparameters open. */
function checkHyperparameters(hyperparameters: NonNullable<JobRequest['hyperparameters']>): void {
  for (const [name, value] of Object.entries(hyperparameters)) {
    if (value === 'auto') continue;
    const field = `hyperparameters.${name}`;
    if (typeof value !== 'number') throw ApiError.invalid(field, `'${field}' must be a number or 'auto'.`);
    // Only epochs cost time here; other numbers may range from 0 to 1,000,000.
    if (name !== 'n_epochs') checkRange(field, value, 0, 1e6);
    else if (Number.isInteger(value)) checkRange(field, value, 1, MAX_EPOCHS);
    else throw ApiError.invalid(field, `'${field}' must be an integer or 'auto'.`);
  }
}

function newJobObject(service: Service, body: JobRequest): JobObject {
  const {
    n_epochs = service.takes('fine-tuning.hyperparameters.unset') === 'auto' ? 'auto' : DEFAULT_EPOCHS,
    batch_size = 'auto',
    learning_rate_multiplier = 'auto',
  } = body.hyperparameters ?? {};
  const id = service.id('ftjob-');
  return {
    object: 'fine_tuning.job',
    id,
    created_at: service.now(),
    error: null,
    fine_tuned_model: null,
    finished_at: null,
    hyperparameters: { n_epochs, batch_size, learning_rate_multiplier },
    model: body.model,
    organization_id: service.organization,
    result_files: [],
    status: 'queued',
    trained_tokens: null,
    training_file: body.training_file,
    validation_file: body.validation_file ?? null,
    integrations:
      body.integrations ?? (service.takes('fine-tuning.integrations.unset') === 'null' ? null : []),
    // The response requires an integer, even if the request has no seed.
    seed: body.seed ?? hashText(id) % 2 ** 31,
    estimated_finish: null,
  };
}

type JobStatus = 'queued' | 'validating_files' | 'running' | 'succeeded' | 'failed' | 'cancelled';

interface JobRequest {
  readonly model: string;
  readonly training_file: string;
  readonly validation_file?: string | null;
  readonly hyperparameters?: {
    readonly n_epochs?: number | 'auto';
    readonly batch_size?: number | 'auto';
    readonly learning_rate_multiplier?: number | 'auto';
  };
  /** Becomes part of the id of the tuned model. */
  readonly suffix?: string | null;
  readonly integrations?: readonly JsonObject[] | null;
  /** Equal seeds, files and hyperparameters give equal metrics. */
  readonly seed?: number | null;
}

interface JobEvent {
  readonly id: string;
  readonly object: 'fine_tuning.job.event';
  readonly created_at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data: null;
  readonly type: 'message';
}

/** The model after an epoch (2 Fine-tuning checkpoint). */
interface Checkpoint {
  readonly id: string;
  readonly object: 'fine_tuning.job.checkpoint';
  readonly created_at: number;
  readonly fine_tuned_model_checkpoint: string;
  readonly fine_tuning_job_id: string;
  /** The last step of the epoch, from 1. */
  readonly step_number: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** A job as its response shows it (2 Fine-tuning job). All times are Unix seconds. */
interface JobObject {
  readonly object: 'fine_tuning.job';
  readonly id: string;
  readonly created_at: number;
  error: { readonly code: string; readonly message: string; readonly param: string | null } | null;
  fine_tuned_model: string | null;
  finished_at: number | null;
  /** `auto` values become numbers when the training starts. */
  hyperparameters: JsonObject;
  readonly model: string;
  readonly organization_id: string;
  result_files: readonly string[];
  status: JobStatus;
  /** Number of tokens in the examples times the number of epochs; null until the job has succeeded. */
  trained_tokens: number | null;
  readonly training_file: string;
  readonly validation_file: string | null;
  /** Copied from the request, without effect. */
  readonly integrations: readonly JsonObject[] | null;
  readonly seed: number;
  estimated_finish: number | null;
}

interface Job {
  readonly id: string;
  readonly shown: JobObject;
  /** The model to tune, kept because it may be deleted while the job runs. */
  readonly base: Model;
  readonly suffix: string;
  readonly events: Collection<JobEvent>;
  readonly checkpoints: Collection<Checkpoint>;
  /** queued → validating_files → running → succeeded; failed for invalid files, cancelled on request. */
  readonly transitions: Transitions;
}

const FINAL_STATES: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled']);

function cancelJob(service: Service, job: Job): Promise<void> {
  return job.transitions.runAlone(async () => {
    const { shown } = job;
    const isLate = service.takes('fine-tuning.cancel.in-time') === 'too late';
    if (isLate) while (!FINAL_STATES.has(shown.status)) await advanceJob(service, job, service.now());
    if (FINAL_STATES.has(shown.status)) {
      if (service.takes('fine-tuning.cancel.too-late') === 'returned unchanged') return;
      throw ApiError.uncancellable(`Job '${job.id}' cannot be cancelled: it is ${shown.status}.`, isLate);
    }
    endJob(job, 'cancelled', service.now());
    addJobEvent(service, job, service.now(), 'The job was cancelled');
  });
}

async function advanceJob(service: Service, job: Job, at: number): Promise<void> {
  switch (job.shown.status) {
    case 'queued':
      job.shown.status = 'validating_files';
      addJobEvent(service, job, at, `Validating training file: ${job.shown.training_file}`);
      return;
    case 'validating_files':
      return startTraining(service, job, at);
    case 'running':
      return completeJob(service, job, at);
  }
}

async function startTraining(service: Service, job: Job, at: number): Promise<void> {
  const training = await readExamplesOf(service, job.shown.training_file);
  const validation =
    job.shown.validation_file === null ? null : await readExamplesOf(service, job.shown.validation_file);
  if ('message' in training) return failJob(service, job, at, 'training_file', training);
  if (validation !== null && 'message' in validation)
    return failJob(service, job, at, 'validation_file', validation);
  const { hyperparameters } = job.shown;
  const resolve = (name: string, fallback: number) =>
    typeof hyperparameters[name] === 'number' ? hyperparameters[name] : fallback;
  job.shown.hyperparameters = {
    ...hyperparameters,
    n_epochs: resolve('n_epochs', DEFAULT_EPOCHS),
    batch_size: resolve('batch_size', 1),
    learning_rate_multiplier: resolve('learning_rate_multiplier', 2),
  };
  job.shown.status = 'running';
  job.shown.estimated_finish = at + Math.max(1, Math.ceil(service.stateDelay));
  addJobEvent(service, job, at, 'Fine-tuning job started');
}

async function completeJob(service: Service, job: Job, at: number): Promise<void> {
  const training = await readExamplesOf(service, job.shown.training_file);
  if ('message' in training) return failJob(service, job, at, 'training_file', training);
  const { shown } = job;
  const model = `ft:${shown.model}:reference:${job.suffix}:${service.id('', 8)}`;
  const results = simulateTraining(service, job, training.count, model, at);
  const purpose = service.takes('fine-tuning.results.purpose');
  const file = filesOf(service).write(`step_metrics_${job.id}.csv`, results, purpose);
  modelsOf(service).addTuned({ ...job.base, id: model, created: at, owned_by: shown.organization_id });
  shown.fine_tuned_model = model;
  shown.trained_tokens = training.tokens * Number(shown.hyperparameters['n_epochs']);
  shown.result_files = [file.id];
  endJob(job, 'succeeded', at);
  addJobEvent(service, job, at, `New fine-tuned model created: ${model}`);
  addJobEvent(service, job, at, 'The job has successfully completed');
}

/** A file that is deleted, unreadable or not named .jsonl counts as an invalid example. */
async function readExamplesOf(service: Service, fileId: string): Promise<TrainingExamples | InvalidExample> {
  const file = filesOf(service).all.get(fileId);
  if (file === undefined) return { line: 0, message: `The file '${fileId}' was deleted.` };
  if (!isJsonLinesName(file.filename))
    return { line: 0, message: `The file '${fileId}' is not named .jsonl.` };
  return readExamples(file.content.ensureFile()).catch(() => ({
    line: 0,
    message: `The file '${fileId}' cannot be read.`,
  }));
}

function failJob(
  service: Service,
  job: Job,
  at: number,
  param: string,
  { line, message }: InvalidExample,
): void {
  const reason = line > 0 ? `${message} (line ${line})` : message;
  endJob(job, 'failed', at);
  job.shown.error = { code: `invalid_${param}`, message: reason, param };
  addJobEvent(service, job, at, `The job failed: ${reason}`, 'error');
}

function endJob({ shown }: Job, status: JobStatus, at: number): void {
  shown.status = status;
  shown.finished_at = at;
  shown.estimated_finish = null;
}

function addJobEvent(
  service: Service,
  job: Job,
  at: number,
  message: string,
  level: JobEvent['level'] = 'info',
): void {
  const id = service.id('ftevent-');
  const fields = { object: 'fine_tuning.job.event', created_at: at, level, message, data: null } as const;
  job.events.add({ id, type: 'message', ...fields });
}

function simulateTraining(service: Service, job: Job, examples: number, model: string, at: number): string {
  const { n_epochs, batch_size } = job.shown.hyperparameters;
  const epochs = Number(n_epochs);
  const stepsPerEpoch = Math.max(1, Math.ceil(examples / Math.max(1, Number(batch_size))));
  const total = stepsPerEpoch * epochs;
  const stride = Math.max(1, Math.ceil(total / MAX_STEP_EVENTS));
  const columns = CSV_HEAD.split(',');
  const rows = [CSV_HEAD];
  for (let step = stride; step <= total; step += stride) {
    const row = metricsAt(job, step, total);
    rows.push(columns.map((name) => row[name]).join(','));
    const losses = `training loss=${row['train_loss']}, validation loss=${row['valid_loss']}`;
    addJobEvent(service, job, at, `Step ${step}/${total}: ${losses}`);
  }
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    const step = epoch * stepsPerEpoch;
    job.checkpoints.add({
      id: service.id('ftckpt_'),
      object: 'fine_tuning.job.checkpoint',
      created_at: at,
      // The model after the last epoch is the result of the job itself.
      fine_tuned_model_checkpoint: epoch === epochs ? model : `${model}:ckpt-step-${step}`,
      fine_tuning_job_id: job.id,
      step_number: step,
      metrics: metricsAt(job, step, total),
    });
  }
  return `${rows.join('\n')}\n`;
}

function metricsAt(job: Job, step: number, total: number): Record<string, number> {
  const noise = (hashText(`${job.shown.seed} ${step}`) % 100) / 2000;
  const loss = roundMetric(2.5 * 0.1 ** (step / total) + noise);
  const accuracy = roundMetric(1 - 0.5 * 0.2 ** (step / total) - noise);
  return {
    step,
    train_loss: loss,
    train_mean_token_accuracy: accuracy,
    valid_loss: roundMetric(loss * 1.1),
    valid_mean_token_accuracy: roundMetric(accuracy * 0.98),
    full_valid_loss: roundMetric(loss * 1.12),
    full_valid_mean_token_accuracy: roundMetric(accuracy * 0.97),
  };
}

function roundMetric(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
