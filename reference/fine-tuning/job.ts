import { filesOf } from '../files/file-store.ts';
import { type InvalidExample, isJsonLines, readExamples, type TrainingExamples } from '../files/lines.ts';
import { ApiError } from '../http/api-error.ts';
import type { JsonObject } from '../http/json.ts';
import { modelsOf } from '../model/catalogue.ts';
import type { Collection } from '../state/collection.ts';
import { hashText } from '../state/ids.ts';
import type { SerialQueue, Service, StateProgress } from '../state/service.ts';

/** The states of a job; `succeeded`, `failed` and `cancelled` are final. */
type JobStatus = 'queued' | 'validating_files' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface JobRequest {
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
  /** Equal seeds and files give equal metrics. */
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
  error: { readonly code: string; readonly message: string; readonly param: string | null } | null;
  fine_tuned_model: string | null;
  finished_at: number | null;
  /** `auto` values become numbers when the training starts. */
  hyperparameters: JsonObject;
  readonly model: string;
  readonly organization_id: string;
  result_files: readonly string[];
  status: JobStatus;
  /** Tokens of the examples times epochs; null until the job has succeeded. */
  trained_tokens: number | null;
  readonly training_file: string;
  readonly validation_file: string | null;
  /** As in the request; this service has no integrations. */
  readonly integrations: readonly JsonObject[] | null;
  readonly seed: number;
  estimated_finish: number | null;
}

export interface Job {
  readonly id: string;
  readonly shown: JobObject;
  readonly suffix: string;
  readonly progress: StateProgress;
  readonly events: Collection<JobEvent>;
  readonly checkpoints: Collection<Checkpoint>;
  /** Advances the job serially, so that two retrievals never make the same transition twice. */
  readonly turns: SerialQueue;
  moved: number;
}

function endedJob({ status }: JobObject): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

/**
 * Makes the transitions that are due (`steps` in total since creation): queued → validating_files → running →
 * succeeded, or failed for unreadable files.
 */
export function advanceJob(service: Service, job: Job, steps: number): Promise<void> {
  return job.turns.take(async () => {
    while (job.moved < steps && !endedJob(job.shown)) {
      job.moved += 1;
      await move(service, job, job.progress.at(job.moved));
    }
  });
}

export function requestJobCancel(service: Service, job: Job): Promise<void> {
  return job.turns.take(async () => {
    const { shown } = job;
    const isLate = service.takes('fine-tuning.cancel.in-time') === 'too late';
    if (isLate) while (!endedJob(shown)) await move(service, job, service.now());
    if (endedJob(shown)) {
      if (service.takes('fine-tuning.cancel.too-late') === 'returned unchanged') return;
      throw ApiError.uncancellable(`Job '${job.id}' cannot be cancelled: it is ${shown.status}.`, isLate);
    }
    shown.status = 'cancelled';
    shown.finished_at = service.now();
    shown.estimated_finish = null;
    addJobEvent(service, job, { at: service.now(), message: 'The job was cancelled' });
  });
}

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

async function start(service: Service, job: Job, at: number): Promise<void> {
  const training = await examplesOf(service, job.shown.training_file);
  const validation =
    job.shown.validation_file === null ? null : await examplesOf(service, job.shown.validation_file);
  if ('message' in training) return fail(service, job, { at, param: 'training_file', example: training });
  if (validation !== null && 'message' in validation)
    return fail(service, job, { at, param: 'validation_file', example: validation });
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

/** Fails if the training file has been deleted. */
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

/** A deleted or unreadable file counts as an invalid example. */
async function examplesOf(service: Service, fileId: string): Promise<TrainingExamples | InvalidExample> {
  const file = filesOf(service).get(fileId);
  if (file === undefined) return { line: 0, message: `The file '${fileId}' was deleted.` };
  if (!isJsonLines(file.filename)) return { line: 0, message: `The file '${fileId}' is not named .jsonl.` };
  return readExamples(file.content.file()).catch(() => ({
    line: 0,
    message: `The file '${fileId}' cannot be read.`,
  }));
}

interface Failure {
  readonly at: number;
  readonly param: string;
  readonly example: InvalidExample;
}

function fail(service: Service, job: Job, { at, param, example }: Failure): void {
  const { line, message } = example;
  const where = line > 0 ? `${message} (line ${line})` : message;
  job.shown.status = 'failed';
  job.shown.finished_at = at;
  job.shown.estimated_finish = null;
  job.shown.error = { code: `invalid_${param}`, message: where, param };
  addJobEvent(service, job, { at, message: `The job failed: ${where}`, level: 'error' });
}

interface JobNotice {
  readonly at: number;
  readonly message: string;
  readonly level?: JobEvent['level'];
}

export function addJobEvent(service: Service, job: Job, { at, message, level = 'info' }: JobNotice): void {
  const id = service.id('ftevent-');
  const event = { object: 'fine_tuning.job.event', created_at: at, level, message, data: null } as const;
  job.events.add({ id, type: 'message', ...event });
}

/** Events for steps; a longer training reports every second, third, … step. */
const maxEvents = 100;

const columns = [
  'step',
  'train_loss',
  'train_mean_token_accuracy',
  'valid_loss',
  'valid_mean_token_accuracy',
];

interface Training {
  readonly examples: TrainingExamples;
  readonly model: string;
  readonly at: number;
  readonly report: (message: string) => void;
}

/** Simulates a training: an event for each step, a checkpoint for each epoch, the metrics as CSV. */
function train(
  service: Service,
  job: Job,
  { examples, model, at, report }: Training,
): { results: string; epochs: number } {
  const epochs = Number(job.shown.hyperparameters['n_epochs']);
  const batch = Math.max(1, Number(job.shown.hyperparameters['batch_size']));
  const perEpoch = Math.max(1, Math.ceil(examples.count / batch));
  const total = perEpoch * epochs;
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

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
