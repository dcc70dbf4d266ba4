import { valueAt } from '../../drive/scenario/call-result.ts';
import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { createFineTunedModel } from './samples.ts';

export const modelsListScenario = scenario({
  name: 'models.list',
  operations: ['listModels', 'retrieveModel'],
  run: runModelsList,
});

async function runModelsList(context: ScenarioContext): Promise<void> {
  const listed = await context.need('listModels');
  const data = valueAt(listed.json, '/data');
  const count = Array.isArray(data) ? data.length : 0;
  // The first and the last are enough to compare a list with retrieved models.
  for (const i of new Set([0, Math.max(0, count - 1)])) {
    await context.call('retrieveModel', { path: { model: listed.text(`/data/${i}/id`) } });
  }
  await context.call('listModels');
}

/** The list once a model has responded. */
export const modelsAnsweringScenario = scenario({
  name: 'models.answering',
  operations: ['listModels'],
  cost: ['tokens'],
  roles: ['chat'],
  run: async (context) => {
    const messages = [{ role: 'user', content: 'Say assay.' }];
    const body = { model: context.model('chat'), messages, max_tokens: 4 };
    await context.call('createChatCompletion', { body });
    await context.call('listModels');
  },
});

/** A model trained by this run: it is listed and found until it is deleted. */
export const modelsOwnScenario = scenario({
  name: 'models.own',
  operations: ['listModels', 'retrieveModel', 'deleteModel'],
  cost: ['training'],
  roles: ['fine-tuning'],
  run: async (context) => {
    const path = { model: await createFineTunedModel(context) };
    await context.call('listModels');
    await context.call('retrieveModel', { path });
    await context.call('deleteModel', { path });
    await context.call('retrieveModel', { path });
    await context.call('listModels');
  },
});
