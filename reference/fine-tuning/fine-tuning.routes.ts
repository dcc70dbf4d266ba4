// Fine-tuning jobs with their events and checkpoints (2 Fine-tuning). With a state delay of 0 each retrieval advances a job
// by one state; lists and cancelling only let time pass.
import { filesOf } from '../files/file-store.ts';
import { ApiError, existing, range } from '../http/api-error.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';
import { Collection } from '../state/collection.ts';
import { hashText } from '../state/ids.ts';
import { pollAfter, SerialQueue, type Service, StateProgress } from '../state/service.ts';
import {
  addJobEvent,
  advanceJob,
  type Job,
  type JobObject,
  type JobRequest,
  requestJobCancel,
} from './job.ts';

/** Maximum number of epochs, so that one job cannot keep the service busy for long. */
const mostEpochs = 50;

/**
 * Listing jobs lets time pass for all of them, not only for those of the page. Lists of jobs and events have no
 * `first_id` and `last_id` (2 Fine-tuning).
 */
export const routes: Routes = (service) => {
  const jobs = new Collection<Job>();
  const need = async (id = ''): Promise<Job> => {
    const job = existing(jobs.get(id), 'fine-tuning job', id);
    await advanceJob(service, job, job.progress.steps);
    return job;
  };
  return [
    serves<JobRequest>('createFineTuningJob', ({ body }) => jobs.add(create(service, body)).shown),
    serves('listFineTuningJobs', async ({ query }) => {
      for (const job of jobs.values()) await advanceJob(service, job, job.progress.steps);
      const found = listPage(jobs, query);
      return { object: 'list', data: found.data.map(({ shown }) => shown), has_more: found.hasMore };
    }),
    serves('retrieveFineTuningJob', async ({ path }) => {
      const job = await need(path['fine_tuning_job_id']);
      await advanceJob(service, job, job.progress.read());
      return new JsonResponse(job.shown, pollAfter(service));
    }),
    serves('cancelFineTuningJob', async ({ path }) => {
      const job = await need(path['fine_tuning_job_id']);
      await requestJobCancel(service, job);
      return job.shown;
    }),
    serves('listFineTuningEvents', async ({ path, query }) => {
      const { events } = await need(path['fine_tuning_job_id']);
      const found = listPage(events, query);
      return { object: 'list', data: found.data, has_more: found.hasMore };
    }),
    serves('listFineTuningCheckpoints', async ({ path, query }) => {
      const { checkpoints } = await need(path['fine_tuning_job_id']);
      return listEnvelope(
        listPage(checkpoints, query, undefined, { limit: 10, order: 'desc' }),
        (shown) => shown,
      );
    }),
  ];
};

/**
 * A new job in the state `queued`; its files are read when it advances.
 * @throws ApiError 400 or 404 for a model or file that does not exist or is unsuitable, and for bad hyperparameters.
 */
function create(service: Service, body: JobRequest): Job {
  modelsOf(service).need(body.model, 'fine-tuning');
  needFile(service, 'training_file', body.training_file);
  if (typeof body.validation_file === 'string') {
    needFile(service, 'validation_file', body.validation_file);
    if (body.validation_file === body.training_file) {
      throw ApiError.invalid(
        'validation_file',
        "'validation_file' must not share data with 'training_file'.",
      );
    }
  }
  checkHyperparameters(body.hyperparameters ?? {});
  const shown = newJob(service, body);
  const job: Job = {
    id: shown.id,
    shown,
    suffix: body.suffix ?? '',
    progress: new StateProgress(service),
    events: new Collection(),
    checkpoints: new Collection(),
    turns: new SerialQueue(),
    moved: 0,
  };
  addJobEvent(service, job, { at: service.now(), message: `Created fine-tuning job: ${job.id}` });
  return job;
}

/** The schema leaves these open, and the job shows them. @throws ApiError 400 for anything but `auto` and numbers in range. */
function checkHyperparameters(given: NonNullable<JobRequest['hyperparameters']>): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === 'auto') continue;
    const field = `hyperparameters.${name}`;
    if (typeof value !== 'number') throw ApiError.invalid(field, `'${field}' must be a number or 'auto'.`);
    // Only epochs cost time here; other numbers may range from 0 to 1,000,000.
    if (name !== 'n_epochs') range(field, value, 0, 1e6);
    else if (Number.isInteger(value)) range(field, value, 1, mostEpochs);
    else throw ApiError.invalid(field, `'${field}' must be an integer or 'auto'.`);
  }
}

function newJob(service: Service, body: JobRequest): JobObject {
  const {
    n_epochs = service.takes('fine-tuning.hyperparameters.unset') === 'auto' ? 'auto' : 3,
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
    // The seed is shown even if none was sent, because the response has an integer.
    seed: body.seed ?? hashText(id) % 2 ** 31,
    estimated_finish: null,
  };
}

function needFile(service: Service, param: string, id: string): void {
  const file = filesOf(service).get(id);
  if (file === undefined) throw ApiError.invalid(param, `'${param}' names no file: '${id}'.`);
  if (file.purpose !== 'fine-tune') {
    throw ApiError.invalid(param, `'${param}' must have purpose 'fine-tune', but has '${file.purpose}'.`);
  }
}
