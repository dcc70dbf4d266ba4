import type { Stage } from '../../drive/scenario.ts';
import { base } from '../generate/base.ts';
import { bodyOf, examples, job, trained } from './samples.ts';

const ofOwnJob = async (stage: Stage) => ({ path: await job(stage) });

export const createFineTuningJob = base({
  operation: 'createFineTuningJob',
  ready: async (stage) => {
    const { hyperparameters = null, ...fields } = await bodyOf(stage);
    const validation = await examples(stage, 'thrice');
    return {
      fields,
      cheap: { hyperparameters },
      samples: {
        hyperparameters: () => ({ n_epochs: 1 }),
        validation_file: () => validation,
        integrations: () => [],
        suffix: () => 'assay',
      },
    };
  },
});

const ofOne = { roles: ['fine-tuning'], cost: ['training'], ready: ofOwnJob } as const;

export const retrieveFineTuningJob = base({ operation: 'retrieveFineTuningJob', ...ofOne });

export const cancelFineTuningJob = base({ operation: 'cancelFineTuningJob', ...ofOne });

export const listFineTuningJobs = base({
  operation: 'listFineTuningJobs',
  ...ofOne,
  ready: async (stage) => {
    const { fine_tuning_job_id } = await job(stage);
    return { samples: { 'query.after': () => fine_tuning_job_id } };
  },
});

export const listFineTuningEvents = base({
  operation: 'listFineTuningEvents',
  ...ofOne,
  ready: async (stage) => {
    const path = await trained(stage);
    const id = (await stage.need('listFineTuningEvents', { path })).text('/data/0/id');
    return { path, samples: { 'query.after': () => id } };
  },
});

export const listFineTuningCheckpoints = base({
  operation: 'listFineTuningCheckpoints',
  ...ofOne,
  ready: async (stage) => {
    const path = await trained(stage);
    const id = (await stage.need('listFineTuningCheckpoints', { path })).text('/data/0/id');
    return { path, samples: { 'query.after': () => id } };
  },
});
