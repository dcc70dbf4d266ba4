import { at } from '../../drive/answer.ts';
import { type Scenario, type Stage, scenario } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import { files, store } from '../vector-stores/samples.ts';
import * as bases from './base.ts';
import { fileBatch } from './resources.ts';
import { type BatchPath, batch } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const states = ['in_progress', 'completed', 'failed', 'cancelled'];

export const lists = listScenarios({
  operation: 'listVectorStoreFileBatchFiles',
  owner: ofTwoSeconds,
  filters: { filter: states },
});

export const life = lifeScenario({
  resource: fileBatch,
  owner: async (stage) => ({ vector_store_id: await store(stage) }),
  bodies: async (stage) => (await files(stage, 2)).map((file_id) => ({ file_ids: [file_id] })),
});

/** From the first file in progress until all are done, in the batch and in its store. */
export const watched = batches('watched', {
  operations: [
    'createVectorStoreFileBatch',
    'retrieveVectorStoreFileBatch',
    'listVectorStoreFileBatchFiles',
    'cancelVectorStoreFileBatch',
  ],
  shows: [
    'vector_store.file_batch:*',
    'vector_store.file:*',
    'vector-store-file-batches.object.kind',
    'vector-store-file-batches.create.in-progress',
    'vector-store-file-batches.files.owner',
    'vector-store-file-batches.files.own',
    'vector-store-file-batches.files.all-listed',
    'vector-store-file-batches.files.in-store',
    'vector-store-file-batches.filter.complete',
    'vector-store-file-batches.counts.*',
    'vector-store-file-batches.states.never-back',
    'vector-store-file-batches.states.cancelling-by-cancel',
    'vector-store-file-batches.states.way',
    'vector-store-file-batches.cancel.too-late',
  ],
  run: async (stage) => {
    const { path } = await batch(stage, 3);
    await filters(stage, path);
    await settled(stage, path);
    await filters(stage, path);
    await stage.call('retrieveVectorStoreFileBatch', { path });
    await stage.call('listVectorStoreFiles', {
      path: { vector_store_id: path.vector_store_id },
      query: { limit: 100 },
    });
    await stage.call('cancelVectorStoreFileBatch', { path });
    await stage.call('retrieveVectorStoreFileBatch', { path });
  },
});

/** Cancelled as soon as it is made, so that it has hardly ended before; if it has, a larger one takes longer. */
export const cancelled = batches('cancelled', {
  operations: ['cancelVectorStoreFileBatch', 'retrieveVectorStoreFileBatch', 'listVectorStoreFileBatchFiles'],
  shows: [
    'vector-store-file-batches.cancel.same-batch',
    'vector-store-file-batches.cancel.leaves-in-progress',
    'vector-store-file-batches.cancel.accepted',
    'vector-store-file-batches.cancel.answer',
    'vector-store-file-batches.states.never-back',
    'vector-store-file-batches.states.from-cancelling',
    'vector-store-file-batches.files.of-cancelled',
    'vector-store-file-batches.filter.complete',
  ],
  run: async (stage) => {
    for (const count of [3, 20]) {
      const { path } = await batch(stage, count);
      const { ok } = await stage.call('cancelVectorStoreFileBatch', { path });
      await settled(stage, path);
      await filters(stage, path);
      await stage.call('retrieveVectorStoreFileBatch', { path });
      if (ok) break;
    }
  },
});

/** Every path in the spelling that the specification shows for another one. */
export const spellings = batches('spellings', {
  operations: ['createVectorStoreFileBatch'],
  shows: ['vector-store-file-batches.path.other-spelling'],
  run: async (stage) => {
    const { path, files: file_ids } = await batch(stage);
    const { vector_store_id } = path;
    await stage.call('cancelVectorStoreFileBatch', { path, otherPath: true });
    await stage.call('retrieveVectorStoreFileBatch', { path, otherPath: true });
    await stage.call('listVectorStoreFileBatchFiles', { path, otherPath: true });
    const body = { file_ids };
    await stage.call('createVectorStoreFileBatch', { path: { vector_store_id }, body, otherPath: true });
  },
});

/** What the specification leaves open: an unknown file, no file, the same one twice. */
export const oddities = batches('oddities', {
  operations: ['createVectorStoreFileBatch'],
  shows: [
    'vector-store-file-batches.create.unknown-file',
    'vector-store-file-batches.create.no-files',
    'vector-store-file-batches.create.same-file-twice',
  ],
  run: async (stage) => {
    const [[file = ''], vector_store_id] = await Promise.all([files(stage, 1), store(stage)]);
    const path = { vector_store_id };
    const label = {
      pointer: 'body.file_ids[]',
      keyword: 'unknown',
      side: 'violation',
      control: null,
    } as const;
    const probe = { id: `createVectorStoreFileBatch:${label.pointer}#${label.keyword}`, ...label };
    const body = { file_ids: [stage.unknownId('file-')] };
    await stage.call('createVectorStoreFileBatch', { path, body, probe });
    await stage.call('createVectorStoreFileBatch', { path, body: { file_ids: [] } });
    await stage.call('createVectorStoreFileBatch', { path, body: { file_ids: [file, file] } });
  },
});

/** More files than a page holds by default, listed both ways. */
export const many = scenario({
  name: 'vector-store-file-batches.many',
  family: 'vector-store-file-batches',
  operations: ['listVectorStoreFileBatchFiles', 'listVectorStoreFiles'],
  shows: ['listVectorStoreFileBatchFiles.page.*', 'listVectorStoreFiles.page.*'],
  cost: ['free', 'bulk'],
  roles: [],
  run: async (stage) => {
    const { path } = await batch(stage, 21);
    const { vector_store_id } = path;
    for (const query of [{}, { limit: 20 }, { limit: 100 }, { limit: 101 }]) {
      await stage.call('listVectorStoreFileBatchFiles', { path, query });
      await stage.call('listVectorStoreFiles', { path: { vector_store_id }, query });
    }
  },
});

function batches(topic: string, plan: Pick<Scenario, 'operations' | 'shows' | 'run'>): Scenario {
  const name = `vector-store-file-batches.${topic}`;
  return scenario({ name, family: 'vector-store-file-batches', cost: ['free'], roles: [], ...plan });
}

/** Waits until a batch has ended, whatever came of it. */
async function settled(stage: Stage, path: BatchPath): Promise<void> {
  await stage.poll('retrieveVectorStoreFileBatch', { path }, (json) => {
    const status = at(json, '/status');
    return status !== 'in_progress' && status !== 'cancelling';
  });
}

/** Every filter between two looks at the whole list, so that a file that has moved in between proves nothing. */
async function filters(stage: Stage, path: BatchPath): Promise<void> {
  const whole = { path, query: { limit: 100 } };
  await stage.call('listVectorStoreFileBatchFiles', whole);
  for (const filter of states) await stage.call('listVectorStoreFileBatchFiles', { path, query: { filter } });
  await stage.call('listVectorStoreFileBatchFiles', whole);
}

/** A batch of which some files were in the store a second earlier, where the target takes them twice. */
async function ofTwoSeconds(stage: Stage): Promise<BatchPath> {
  const [file_ids, vector_store_id] = await Promise.all([files(stage, 5), store(stage)]);
  const path = { vector_store_id };
  const [first = '', second = '', ...others] = file_ids;
  for (const file_id of [first, second])
    await stage.need('createVectorStoreFile', { path, body: { file_id } });
  await stage.nextSecond();
  const again = await stage.call('createVectorStoreFileBatch', { path, body: { file_ids } });
  const made = again.ok
    ? again
    : await stage.need('createVectorStoreFileBatch', { path, body: { file_ids: others } });
  return { ...path, batch_id: made.text('/id') };
}
