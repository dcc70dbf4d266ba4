import { base } from '../generate/base.ts';

export const listModels = base({ operation: 'listModels', ready: () => ({}) });

export const retrieveModel = base({
  operation: 'retrieveModel',
  ready: async (stage) => ({ path: { model: (await stage.need('listModels')).text('/data/0/id') } }),
});

export const deleteModel = base({
  operation: 'deleteModel',
  leave: { 'path.model#unknown.*': 'a fine-tuned model of our own exists only in the fine-tuning scenarios' },
  ready: (stage) => ({ path: { model: stage.unknownId('assay-') } }),
});
