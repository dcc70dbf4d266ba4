import {
  changeResponse,
  ignoreField,
  setAtPointer,
  setInResponse,
  skipEffect,
  storeUnderOtherPurpose,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'fine-tuning-error-missing',
    says: 'failed jobs lack error',
    requirement: 'fine_tuning.job:#error-set',
    on: ['retrieveFineTuningJob'],
    does: setInResponse('/error', null),
  },
  {
    id: 'fine-tuning-not-queued',
    says: 'new jobs are running',
    requirement: 'fine-tuning.create.queued',
    on: ['createFineTuningJob'],
    does: setInResponse('/status', 'running'),
  },
  {
    id: 'fine-tuning-seed-ignored',
    says: 'the seed of a job differs from the requested one',
    requirement: 'fine-tuning.create.keeps-seed',
    on: ['createFineTuningJob'],
    does: ignoreField('seed'),
  },
  {
    id: 'fine-tuning-suffix-ignored',
    says: 'the id of a fine-tuned model lacks the suffix',
    requirement: 'fine-tuning.results.suffix',
    on: ['createFineTuningJob'],
    does: ignoreField('suffix'),
  },
  {
    id: 'fine-tuning-cancel-without-effect',
    says: 'cancellations are answered but the job continues',
    requirement: 'fine-tuning.cancel.cancelled',
    on: ['cancelFineTuningJob'],
    does: skipEffect('retrieveFineTuningJob'),
  },
  {
    id: 'fine-tuning-model-lost',
    says: 'the fine_tuned_model of a job does not exist',
    requirement: 'fine-tuning.results.model-found',
    on: ['retrieveFineTuningJob'],
    does: setInResponse('/fine_tuned_model', (name) =>
      typeof name === 'string' ? `${name}x` : (name ?? null),
    ),
  },
  {
    id: 'fine-tuning-purpose-unchecked',
    says: 'accepts files with the purpose assistants for training',
    requirement: 'fine-tuning.create.purpose-of-files',
    on: ['createFile'],
    does: storeUnderOtherPurpose('fine-tune'),
  },
  {
    id: 'fine-tuning-checkpoint-of-another',
    says: 'checkpoints have the id of another job',
    requirement: 'fine-tuning.checkpoints.names-job',
    on: ['listFineTuningCheckpoints'],
    does: setInResponse('/data/*/fine_tuning_job_id', 'ftjob-another'),
  },
  {
    id: 'fine-tuning-jobs-unlisted',
    says: 'the list of jobs is always empty',
    requirement: 'fine-tuning.list.tells-created',
    on: ['listFineTuningJobs'],
    does: changeResponse((answer) => setAtPointer(setAtPointer(answer, '/data', []), '/has_more', false)),
  },
  ...listFaults('fine-tuning-jobs', 'listFineTuningJobs', ['has-more']),
  ...listFaults('fine-tuning-events', 'listFineTuningEvents', ['limit', 'default-limit']),
  ...listFaults('fine-tuning-checkpoints', 'listFineTuningCheckpoints', ['after', 'last-id']),
];
