import { at } from '../../drive/answer.ts';
import { type Scenario, scenario } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { vectorStore } from './resources.ts';
import { DAY, files, store } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

export const lists = listScenarios({ operation: 'listVectorStores', element: (stage) => store(stage) });

/** A store of which nothing is said but a mark to find it by, one of which everything is said, and each field changed alone. */
export const life = lifeScenario({
  resource: vectorStore,
  shows: ['metadata:*'],
  bodies: async ({ tag }) => [
    { metadata: { assay: tag } },
    { name: tag, metadata: { assay: tag, empty: '' }, expires_after: { duration: DAY }, file_ids: [] },
  ],
  modifications: async ({ tag }) => [
    { name: `${tag} renamed` },
    { metadata: { assay: tag, more: 'pairs' } },
    { expires_after: { duration: 2 * DAY } },
    { name: tag, metadata: { assay: tag }, expires_after: { duration: DAY } },
    { metadata: {} },
    { expires_after: null },
    { name: null },
    {},
  ],
});

/** A store that is made with files, and watched until they are processed. */
export const filled = stores('filled', {
  operations: ['createVectorStore', 'retrieveVectorStore', 'deleteVectorStore'],
  shows: [
    'vector_store:*',
    'vector-stores.object.*',
    'vector_store.file_counts:*',
    'vector-stores.create.files-are-listed',
    'vector-stores.counts.*',
    'vector-stores.usage.sum',
    'vector-stores.states.from-in-progress',
    'vector-stores.delete.again',
  ],
  run: async (stage) => {
    const path = { vector_store_id: await store(stage, { file_ids: await files(stage, 2) }) };
    await stage.poll('retrieveVectorStore', { path }, (json) => at(json, '/status') !== 'in_progress');
    await stage.call('listVectorStoreFiles', { path, query: { limit: 100 } });
    await stage.call('retrieveVectorStore', { path });
    await stage.call('deleteVectorStore', { path });
    await stage.call('deleteVectorStore', { path });
  },
});

/** A policy so short that a store may be seen to expire. */
export const expiry = stores('expiry', {
  operations: ['createVectorStore', 'retrieveVectorStore'],
  shows: [
    'vector-stores.expired.*',
    'vector-stores.policy.counts-from',
    'vector-stores.states.from-completed',
  ],
  run: async (stage) => {
    const [file_id = ''] = await files(stage, 1);
    const path = { vector_store_id: await store(stage, { expires_after: { duration: 1 } }) };
    await stage.call('retrieveVectorStore', { path });
    await stage.nextSecond();
    await stage.call('retrieveVectorStore', { path });
    await stage.call('createVectorStoreFile', { path, body: { file_id } });
  },
});

export const header = stores('without-header', {
  operations: ['retrieveVectorStore'],
  shows: ['vector-stores.header.missing'],
  run: async (stage) => {
    const path = { vector_store_id: await store(stage) };
    await stage.call('retrieveVectorStore', { path, variant: 'none' });
  },
});

export const unknown = stores('unknown-file', {
  operations: ['createVectorStore'],
  shows: ['vector-stores.create.unknown-file'],
  run: async (stage) => {
    const body = { name: stage.tag, file_ids: [stage.unknownId('file-')] };
    const label = {
      pointer: 'body.file_ids[]',
      keyword: 'unknown',
      side: 'violation',
      control: null,
    } as const;
    const probe = { id: `createVectorStore:${label.pointer}#${label.keyword}`, ...label };
    await stage.call('createVectorStore', { body, probe });
  },
});

function stores(topic: string, plan: Pick<Scenario, 'operations' | 'shows' | 'run'>): Scenario {
  return scenario({
    name: `vector-stores.${topic}`,
    family: 'vector-stores',
    cost: ['free'],
    roles: [],
    ...plan,
  });
}
