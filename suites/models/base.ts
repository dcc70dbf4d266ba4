import { baseRequest } from '../generate/base.ts';
import { createFineTunedModel } from './samples.ts';

export const listModels = baseRequest({ operation: 'listModels', ready: () => ({}) });

export const retrieveModel = baseRequest({
  operation: 'retrieveModel',
  lists: true,
  ready: async (context) => ({ path: { model: (await context.need('listModels')).text('/data/0/id') } }),
});

/** Only a model that was trained here may be deleted. */
export const deleteModel = baseRequest({
  operation: 'deleteModel',
  cost: ['training'],
  roles: ['fine-tuning'],
  ready: async (context) => ({ path: { model: await createFineTunedModel(context) } }),
});
