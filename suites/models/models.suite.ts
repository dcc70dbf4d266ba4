import { at } from '../../drive/answer.ts';
import { scenario } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { tunedModel } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

export const list = scenario({
  name: 'models.list',
  family: 'models',
  operations: ['listModels', 'retrieveModel'],
  shows: [
    'model:*',
    'model.list:*',
    'listModels:answer#*',
    'retrieveModel:answer#*',
    'models.list.*',
    'models.retrieve.*',
    'models.times.in-seconds',
  ],
  cost: ['free'],
  roles: [],
  run: async (stage) => {
    const listed = await stage.need('listModels');
    const data = at(listed.json, '/data');
    const count = Array.isArray(data) ? data.length : 0;
    // The first and the last are enough to compare with what they are alone.
    for (const i of new Set([0, Math.max(0, count - 1)])) {
      await stage.call('retrieveModel', { path: { model: listed.text(`/data/${i}/id`) } });
    }
    await stage.call('listModels');
  },
});

/** A model of our own: it is listed and found until it is deleted. */
export const own = scenario({
  name: 'models.own',
  family: 'models',
  operations: ['listModels', 'retrieveModel', 'deleteModel'],
  shows: ['model.deleted:*', 'deleteModel:answer#*', 'models.delete.*'],
  cost: ['training'],
  roles: ['fine-tuning'],
  run: async (stage) => {
    const path = { model: await tunedModel(stage) };
    await stage.call('listModels');
    await stage.call('retrieveModel', { path });
    await stage.call('deleteModel', { path });
    await stage.call('retrieveModel', { path });
    await stage.call('listModels');
  },
});
