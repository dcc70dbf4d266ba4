import { scenario } from '../drive/scenario/scenario.ts';
import { createSampleBatch } from './batches/samples.ts';
import { uploadSample } from './files/samples.ts';
import { createSampleJob } from './fine-tuning/samples.ts';
import { ORGANIZATION_LISTS, SECOND_KEY } from './organizations.ts';

const PLANS = {
  files: { create: 'createFile', cost: ['free'], roles: [], createElement: uploadSample },
  'fine-tuning': {
    create: 'createFineTuningJob',
    cost: ['training'],
    roles: ['fine-tuning'],
    createElement: createSampleJob,
  },
  batches: { create: 'createBatch', cost: ['batches'], roles: ['chat'], createElement: createSampleBatch },
} as const;

export const organizations = ORGANIZATION_LISTS.map(({ family, list }) => {
  const { create, cost, roles, createElement } = PLANS[family];
  return scenario({
    name: `${family}.organizations`,
    family,
    operations: [create, list],
    cost,
    roles,
    key: 'second',
    probes: true,
    run: async (context) => {
      await createElement(context);
      await context.need(list);
      const id = `${list}:${SECOND_KEY.pointer}#${SECOND_KEY.keyword}.valid`;
      const probe = { ...SECOND_KEY, id, side: 'valid', control: null } as const;
      await context.need(list, { auth: 'second', probe });
    },
  });
});
