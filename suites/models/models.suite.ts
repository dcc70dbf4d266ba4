import { valueAt } from '../../drive/scenario/call-result.ts';
import { scenario } from '../../drive/scenario/scenario.ts';

export const modelsListScenario = scenario({
  name: 'models.list',
  operations: ['listModels', 'retrieveModel'],
  run: async (context) => {
    const list = await context.need('listModels');
    const data = valueAt(list.json, '/data');
    const count = Array.isArray(data) ? data.length : 0;
    // The first and the last model are enough to compare a list with retrieved models.
    for (const i of new Set([0, Math.max(0, count - 1)])) {
      await context.call('retrieveModel', { path: { model: list.text(`/data/${i}/id`) } });
    }
    await context.call('listModels');
  },
});
