import { base } from '../generate/base.ts';
import { tunedModel } from './samples.ts';

export const listModels = base({ operation: 'listModels', ready: () => ({}) });

export const retrieveModel = base({
  operation: 'retrieveModel',
  lists: true,
  ready: async (stage) => ({ path: { model: (await stage.need('listModels')).text('/data/0/id') } }),
});

/** Only a model that was trained here may be deleted. */
export const deleteModel = base({
  operation: 'deleteModel',
  cost: ['training'],
  roles: ['fine-tuning'],
  ready: async (stage) => ({ path: { model: await tunedModel(stage) } }),
});
