import { baseRequest } from '../generate/requests.ts';
import { createFineTunedModel } from './samples.ts';

/** The list has neither parameters nor pages (part 2, "Models"). */
export const listModels = baseRequest({ operation: 'listModels', ready: () => ({}) });

export const retrieveModel = baseRequest({
  operation: 'retrieveModel',
  lists: true,
  ready: async (context) => ({ path: { model: (await context.need('listModels')).text('/data/0/id') } }),
});

/** Only a model that this run has trained may be deleted: each scenario trains one, which takes minutes and tokens. */
export const deleteModel = baseRequest({
  operation: 'deleteModel',
  cost: ['training'],
  roles: ['fine-tuning'],
  ready: async (context) => ({ path: { model: await createFineTunedModel(context) } }),
});
