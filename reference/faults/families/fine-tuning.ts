import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';
import { ignoreField } from '../requests.ts';
import { setInResponse } from '../responses.ts';
import { skipEffect, storeUnderOtherPurpose } from '../side-effects.ts';

export const faults: readonly Fault[] = [
  {
    id: 'fine-tuning-error-missing',
    says: 'a job that failed does not tell why',
    requirement: 'fine_tuning.job:#error-set',
    on: ['retrieveFineTuningJob'],
    does: setInResponse('/error', null),
  },
  {
    id: 'fine-tuning-not-queued',
    says: 'a new job is running at once',
    requirement: 'fine-tuning.create.queued',
    on: ['createFineTuningJob'],
    does: setInResponse('/status', 'running'),
  },
  {
    id: 'fine-tuning-seed-ignored',
    says: 'a job has another seed than it was given',
    requirement: 'fine-tuning.create.keeps-seed',
    on: ['createFineTuningJob'],
    does: ignoreField('seed'),
  },
  {
    id: 'fine-tuning-suffix-ignored',
    says: 'the name of a new model is without its suffix',
    requirement: 'fine-tuning.results.suffix',
    on: ['createFineTuningJob'],
    does: ignoreField('suffix'),
  },
  {
    id: 'fine-tuning-cancel-without-effect',
    says: 'a cancellation is answered, and the job goes on',
    requirement: 'fine-tuning.cancel.cancelled',
    on: ['cancelFineTuningJob'],
    does: skipEffect('retrieveFineTuningJob'),
  },
  {
    id: 'fine-tuning-model-lost',
    says: 'the model that a job tells of does not exist',
    requirement: 'fine-tuning.results.model-found',
    on: ['retrieveFineTuningJob'],
    does: setInResponse('/fine_tuned_model', (name) =>
      typeof name === 'string' ? `${name}x` : (name ?? null),
    ),
  },
  {
    id: 'fine-tuning-purpose-unchecked',
    says: 'a file that was uploaded for assistants is trained with',
    requirement: 'fine-tuning.create.purpose-of-files',
    on: ['createFile'],
    does: storeUnderOtherPurpose('fine-tune'),
  },
  {
    id: 'fine-tuning-checkpoint-of-another',
    says: 'checkpoints name another job',
    requirement: 'fine-tuning.checkpoints.names-job',
    on: ['listFineTuningCheckpoints'],
    does: setInResponse('/data/*/fine_tuning_job_id', 'ftjob-another'),
  },
  ...listFaults('fine-tuning-jobs', 'listFineTuningJobs', ['has-more']),
  ...listFaults('fine-tuning-events', 'listFineTuningEvents', ['limit', 'default-limit']),
  ...listFaults('fine-tuning-checkpoints', 'listFineTuningCheckpoints', ['after', 'last-id']),
];
