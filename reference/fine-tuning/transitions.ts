import { filesOf } from '../files/file-store.ts';
import { modelsOf } from '../model/catalogue.ts';
import { ApiError } from '../server/api-error.ts';
import type { Service } from '../state/service.ts';
import { type InvalidExample, readExamples, type TrainingExamples } from './examples.ts';
import { endedJob, type Job, type JobEvent } from './job.ts';
import { train } from './train.ts';

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
