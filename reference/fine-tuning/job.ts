import { filesOf } from '../files/file-store.ts';
import { type InvalidExample, readExamples, type TrainingExamples } from '../files/lines.ts';
import { ApiError } from '../http/api-error.ts';
import type { JsonObject } from '../http/json.ts';
import { modelsOf } from '../model/catalogue.ts';
import type { Collection } from '../state/collection.ts';
import { hashText } from '../state/ids.ts';
import type { SerialQueue, Service, StateProgress } from '../state/service.ts';

/** The states of a job; `succeeded`, `failed` and `cancelled` are final. */
type JobStatus = 'queued' | 'validating_files' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** Body of a request to fine-tune, validated. */
export interface JobRequest {
  readonly model: string;
  /** Id of a file with purpose `fine-tune`. */
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
  /** Equal seeds and files give equal metrics. */
  readonly seed?: number | null;
}

/** 2 Fine-tuning job event. Published at each transition, and for the steps of the training. */
interface JobEvent {
  readonly id: string;
  readonly object: 'fine_tuning.job.event';
  readonly created_at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  /** Always null: messages contain the figures. */
  readonly data: null;
  readonly type: 'message';
}

/** 2 Fine-tuning checkpoint: the model after an epoch. */
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
export interface JobObject {
  readonly object: 'fine_tuning.job';
  readonly id: string;
  readonly created_at: number;
  /** Set when the job has failed. */
  error: { readonly code: string; readonly message: string; readonly param: string | null } | null;
  /** Null until the job has succeeded. */
  fine_tuned_model: string | null;
  /** Null until a final state. */
  finished_at: number | null;
  /** `auto` values become numbers when the training starts. */
  hyperparameters: JsonObject;
  readonly model: string;
  /** The service has one organization. */
  readonly organization_id: string;
  /** Ids of result files; empty until the job has succeeded. */
  result_files: readonly string[];
  status: JobStatus;
  /** Tokens of the examples times epochs; null until the job has succeeded. */
  trained_tokens: number | null;
  readonly training_file: string;
  readonly validation_file: string | null;
  /** Repeats the request; this service integrates nothing. */
  readonly integrations: readonly JsonObject[] | null;
  /** The requested seed, or one derived from the id. */
  readonly seed: number;
  /** Set while the job runs. */
  estimated_finish: number | null;
}

/** A job with its internal state. */
export interface Job {
  readonly id: string;
  /** The response, changed in place by each transition. */
  readonly shown: JobObject;
  /** Part of the id of the new model; may be empty. */
  readonly suffix: string;
  /** When transitions are due. */
  readonly progress: StateProgress;
  readonly events: Collection<JobEvent>;
  readonly checkpoints: Collection<Checkpoint>;
  /** Advances the job once at a time, so that two retrievals never make the same transition twice. */
  readonly turns: SerialQueue;
  /** Transitions made so far. */
  moved: number;
}

/** True in a final state. */
function endedJob({ status }: JobObject): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

/** Makes the transitions that are due (`steps` in all since creation): queued → validating_files → running → succeeded, or failed for unreadable files. */
export function advanceJob(service: Service, job: Job, steps: number): Promise<void> {
  return job.turns.take(async () => {
    while (job.moved < steps && !endedJob(job.shown)) {
      job.moved += 1;
      await move(service, job, job.progress.at(job.moved));
    }
  });
}

/** Cancels a job at once. @throws ApiError 400 when it has ended. */
export function requestJobCancel(service: Service, job: Job): Promise<void> {
  return job.turns.take(() => {
    const { shown } = job;
    if (endedJob(shown)) {
      if (service.takes('fine-tuning.cancel.too-late') === 'returned unchanged') return;
      throw ApiError.invalid(null, `Job '${job.id}' cannot be cancelled: it is ${shown.status}.`);
    }
    shown.status = 'cancelled';
    shown.finished_at = service.now();
    shown.estimated_finish = null;
    addJobEvent(service, job, { at: service.now(), message: 'The job was cancelled' });
  });
}

/** Makes one transition; `at` is its time in Unix seconds. */
async function move(service: Service, job: Job, at: number): Promise<void> {
  switch (job.shown.status) {
    case 'queued':
      job.shown.status = 'validating_files';
      addJobEvent(service, job, { at, message: `Validating training file: ${job.shown.training_file}` });
      return;
    case 'validating_files':
      return start(service, job, at);
    case 'running':
      return succeed(service, job, at);
    default:
      return;
  }
}

/** Validates the files and starts the training, or fails the job. */
async function start(service: Service, job: Job, at: number): Promise<void> {
  const training = await examplesOf(service, job.shown.training_file);
  const validation =
    job.shown.validation_file === null ? null : await examplesOf(service, job.shown.validation_file);
  if ('message' in training) return fail(service, job, { at, param: 'training_file', example: training });
  if (validation !== null && 'message' in validation)
    return fail(service, job, { at, param: 'validation_file', example: validation });
  // `auto`, and an absent value, are resolved when the training starts, and the response shows the number
  // from then on.
  const asked = job.shown.hyperparameters;
  const resolved = (name: string, otherwise: number) =>
    typeof asked[name] === 'number' ? asked[name] : otherwise;
  job.shown.hyperparameters = {
    ...asked,
    n_epochs: resolved('n_epochs', 3),
    batch_size: resolved('batch_size', 1),
    learning_rate_multiplier: resolved('learning_rate_multiplier', 2),
  };
  job.shown.status = 'running';
  job.shown.estimated_finish = at + Math.max(1, Math.ceil(service.stateDelay));
  addJobEvent(service, job, { at, message: 'Fine-tuning job started' });
}

/** Ends the training: checkpoints, result file and model. Fails when the training file was deleted meanwhile. */
async function succeed(service: Service, job: Job, at: number): Promise<void> {
  const training = await examplesOf(service, job.shown.training_file);
  if ('message' in training) return fail(service, job, { at, param: 'training_file', example: training });
  const { shown } = job;
  const model = `ft:${shown.model}:reference:${job.suffix}:${service.id('', 8)}`;
  const { results, epochs } = train(service, job, {
    examples: training,
    model,
    at,
    report: (message) => addJobEvent(service, job, { at, message }),
  });
  const file = filesOf(service).write(
    `step_metrics_${job.id}.csv`,
    results,
    service.takes('fine-tuning.results.purpose'),
  );
  // The tuned model has the abilities of its base, and belongs to the organization.
  const base = modelsOf(service).need(shown.model);
  modelsOf(service).addTuned({ ...base, id: model, created: at, owned_by: shown.organization_id });
  shown.fine_tuned_model = model;
  shown.trained_tokens = training.tokens * epochs;
  shown.result_files = [file.id];
  shown.estimated_finish = null;
  shown.finished_at = at;
  shown.status = 'succeeded';
  addJobEvent(service, job, { at, message: `New fine-tuned model created: ${model}` });
  addJobEvent(service, job, { at, message: 'The job has successfully completed' });
}

/** The examples of a file; an unreadable or deleted file counts as an invalid example. */
async function examplesOf(service: Service, fileId: string): Promise<TrainingExamples | InvalidExample> {
  const file = filesOf(service).get(fileId);
  if (file === undefined) return { line: 0, message: `The file '${fileId}' was deleted.` };
  return readExamples(file.content.file()).catch(() => ({
    line: 0,
    message: `The file '${fileId}' cannot be read.`,
  }));
}

/** Why and when (Unix seconds) a job fails: `param` names the field of the request whose file is invalid. */
interface Failure {
  readonly at: number;
  readonly param: string;
  readonly example: InvalidExample;
}

/** Ends the job with the error that names the field of the request. */
function fail(service: Service, job: Job, { at, param, example }: Failure): void {
  const { line, message } = example;
  const where = line > 0 ? `${message} (line ${line})` : message;
  job.shown.status = 'failed';
  job.shown.finished_at = at;
  job.shown.estimated_finish = null;
  job.shown.error = { code: `invalid_${param}`, message: where, param };
  addJobEvent(service, job, { at, message: `The job failed: ${where}`, level: 'error' });
}

/** An event to publish; `at` in Unix seconds, the level is `info` by default. */
interface JobNotice {
  readonly at: number;
  readonly message: string;
  readonly level?: JobEvent['level'];
}

/** Publishes a job event (2 Fine-tuning job event). */
export function addJobEvent(service: Service, job: Job, { at, message, level = 'info' }: JobNotice): void {
  const id = service.id('ftevent-');
  const event = { object: 'fine_tuning.job.event', created_at: at, level, message, data: null } as const;
  job.events.add({ id, type: 'message', ...event });
}

/** Most steps that have an event each; of more steps, every second, third, … has one. */
const maxEvents = 100;

/** Columns of the result file. */
const columns = [
  'step',
  'train_loss',
  'train_mean_token_accuracy',
  'valid_loss',
  'valid_mean_token_accuracy',
];

/** A training that is due. */
interface Training {
  readonly examples: TrainingExamples;
  /** Id of the model that the training makes. */
  readonly model: string;
  /** Unix seconds at which it ends. */
  readonly at: number;
  /** Publishes the message of a step. */
  readonly report: (message: string) => void;
}

/** Simulates a training: an event for each step, a checkpoint for each epoch, the metrics as CSV. */
export function train(
  service: Service,
  job: Job,
  { examples, model, at, report }: Training,
): { results: string; epochs: number } {
  const epochs = Number(job.shown.hyperparameters['n_epochs']);
  const batch = Math.max(1, Number(job.shown.hyperparameters['batch_size']));
  const perEpoch = Math.max(1, Math.ceil(examples.count / batch));
  const total = perEpoch * epochs;
  // Long trainings report every n-th step, so that their lists of events stay short.
  const stride = Math.max(1, Math.ceil(total / maxEvents));
  const rows = [columns.join(',')];
  for (let step = stride; step <= total; step += stride) {
    const found = metrics(job, step, total);
    rows.push(columns.map((name) => found[name]).join(','));
    report(
      `Step ${step}/${total}: training loss=${found['train_loss']}, validation loss=${found['valid_loss']}`,
    );
  }
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    const step = epoch * perEpoch;
    job.checkpoints.add({
      id: service.id('ftckpt_'),
      object: 'fine_tuning.job.checkpoint',
      created_at: at,
      // The model after the last epoch is the result of the job itself.
      fine_tuned_model_checkpoint: epoch === epochs ? model : `${model}:ckpt-step-${step}`,
      fine_tuning_job_id: job.id,
      step_number: step,
      metrics: metrics(job, step, total),
    });
  }
  return { results: `${rows.join('\n')}\n`, epochs };
}

/** Metrics of a step: loss falls and accuracy rises along a curve that depends on the job's seed. */
function metrics(job: Job, step: number, total: number): Record<string, number> {
  const bend = (hashText(`${job.shown.seed} ${step}`) % 100) / 2000;
  const loss = round(2.5 * 0.1 ** (step / total) + bend);
  const accuracy = round(1 - 0.5 * 0.2 ** (step / total) - bend);
  return {
    step,
    train_loss: loss,
    train_mean_token_accuracy: accuracy,
    valid_loss: round(loss * 1.1),
    valid_mean_token_accuracy: round(accuracy * 0.98),
    full_valid_loss: round(loss * 1.12),
    full_valid_mean_token_accuracy: round(accuracy * 0.97),
  };
}

/** Four decimals, as in the result files of the API. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
