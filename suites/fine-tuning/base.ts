import { baseRequest, pathRequests } from '../generate/requests.ts';
import { createSampleJob, createTrainedJob, fineTuningBody, uploadExamples } from './samples.ts';

export const createFineTuningJob = baseRequest({
  operation: 'createFineTuningJob',
  ready: async (context) => {
    const { hyperparameters = null, ...fields } = await fineTuningBody(context);
    const validation = await uploadExamples(context, 'thrice');
    return { fields, cheap: { hyperparameters }, samples: { validation_file: () => validation } };
  },
});

const traits = { roles: ['fine-tuning'], cost: ['training'] } as const;

export const jobsByPath = pathRequests(
  ['retrieveFineTuningJob', 'cancelFineTuningJob'],
  createSampleJob,
  traits,
);

export const listFineTuningJobs = baseRequest({
  operation: 'listFineTuningJobs',
  ...traits,
  ready: async (context) => {
    const { fine_tuning_job_id } = await createSampleJob(context);
    return { samples: { 'query.after': () => fine_tuning_job_id } };
  },
});

/** The lists below a job; the cursor is one of its elements. */
export const listsOfJob = ['listFineTuningEvents', 'listFineTuningCheckpoints'].map((operation) =>
  baseRequest({
    operation,
    ...traits,
    ready: async (context) => {
      const path = await createTrainedJob(context);
      const id = (await context.need(operation, { path })).text('/data/0/id');
      return { path, samples: { 'query.after': () => id } };
    },
  }),
);
