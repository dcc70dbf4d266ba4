import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest } from '../generate/requests.ts';
import { createSampleJob, createTrainedJob, fineTuningBody, uploadExamples } from './samples.ts';

const ofOwnJob = async (context: ScenarioContext) => ({ path: await createSampleJob(context) });

export const createFineTuningJob = baseRequest({
  operation: 'createFineTuningJob',
  ready: async (context) => {
    const { hyperparameters = null, ...fields } = await fineTuningBody(context);
    const validation = await uploadExamples(context, 'thrice');
    return { fields, cheap: { hyperparameters }, samples: { validation_file: () => validation } };
  },
});

const withOwnJob = { roles: ['fine-tuning'], cost: ['training'], ready: ofOwnJob } as const;

export const retrieveFineTuningJob = baseRequest({ operation: 'retrieveFineTuningJob', ...withOwnJob });

export const cancelFineTuningJob = baseRequest({ operation: 'cancelFineTuningJob', ...withOwnJob });

export const listFineTuningJobs = baseRequest({
  operation: 'listFineTuningJobs',
  ...withOwnJob,
  ready: async (context) => {
    const { fine_tuning_job_id } = await createSampleJob(context);
    return { samples: { 'query.after': () => fine_tuning_job_id } };
  },
});

export const listFineTuningEvents = baseRequest({
  operation: 'listFineTuningEvents',
  ...withOwnJob,
  ready: async (context) => {
    const path = await createTrainedJob(context);
    const id = (await context.need('listFineTuningEvents', { path })).text('/data/0/id');
    return { path, samples: { 'query.after': () => id } };
  },
});

export const listFineTuningCheckpoints = baseRequest({
  operation: 'listFineTuningCheckpoints',
  ...withOwnJob,
  ready: async (context) => {
    const path = await createTrainedJob(context);
    const id = (await context.need('listFineTuningCheckpoints', { path })).text('/data/0/id');
    return { path, samples: { 'query.after': () => id } };
  },
});
