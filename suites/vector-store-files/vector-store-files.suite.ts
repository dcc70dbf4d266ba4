import { at } from '../../drive/answer.ts';
import { type Scenario, type Stage, scenario } from '../../drive/scenario.ts';
import { uploaded } from '../files/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import type { FileValue } from '../generate/base.ts';
import { png, text } from '../generate/files.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import { files, store } from '../vector-stores/samples.ts';
import * as bases from './base.ts';
import { vectorStoreFile } from './resources.ts';
import { type StoreFilePath, storeFile } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const states = ['in_progress', 'completed', 'failed', 'cancelled'];

/** A list of more than a page is shown beside that of a batch, which needs as many files. */
export const lists = listScenarios({
  operation: 'listVectorStoreFiles',
  owner: async (stage) => ({ vector_store_id: await store(stage) }),
  element: async (stage, path) => {
    const file_id = await uploaded(stage, 'assistants');
    await stage.need('createVectorStoreFile', { path, body: { file_id } });
    return file_id;
  },
  filters: { filter: states },
  bulk: 0,
});

export const life = lifeScenario({
  resource: vectorStoreFile,
  owner: async (stage) => ({ vector_store_id: await store(stage) }),
  bodies: async (stage) => (await files(stage, 2)).map((file_id) => ({ file_id })),
});

/** From being added until the file itself is deleted, seen through every filter while it stands still. */
export const watched = storeFiles('watched', {
  operations: [
    'createVectorStoreFile',
    'listVectorStoreFiles',
    'retrieveVectorStoreFile',
    'deleteVectorStoreFile',
    'retrieveFile',
    'deleteFile',
  ],
  shows: [
    'vector_store.file:*',
    'vector_store.file.list:*',
    'vector_store.file.deleted:*',
    'vector-store-files.create.is-the-file',
    'vector-store-files.filter.complete',
    'vector-store-files.states.first',
    'vector-store-files.states.way',
    'vector-store-files.usage.size',
    'vector-store-files.delete.keeps-file',
    'vector-store-files.delete.file-deletable',
    'vector-store-files.delete.again',
  ],
  run: async (stage) => {
    const path = await storeFile(stage);
    const { file_id } = path;
    await filters(stage, path);
    await settled(stage, path);
    await filters(stage, path);
    await stage.call('deleteVectorStoreFile', { path });
    await stage.call('deleteVectorStoreFile', { path });
    await stage.call('retrieveFile', { path: { file_id } });
    await stage.call('deleteFile', { path: { file_id } });
  },
});

/** One file in two stores: what is done to it in the one is not done in the other. */
export const twoStores = storeFiles('two-stores', {
  operations: ['createVectorStoreFile', 'retrieveVectorStoreFile', 'deleteVectorStoreFile'],
  shows: ['vector-store-files.delete.keeps-other-stores'],
  run: async (stage) => {
    const path = await storeFile(stage);
    const other = { ...path, vector_store_id: await store(stage) };
    await stage.need('createVectorStoreFile', {
      path: { vector_store_id: other.vector_store_id },
      body: { file_id: path.file_id },
    });
    await stage.call('retrieveVectorStoreFile', { path: other });
    await stage.call('deleteVectorStoreFile', { path });
    await stage.call('retrieveVectorStoreFile', { path: other });
  },
});

/** Files in which there is nothing to search: a service may refuse them, or fail to process them. */
export const failing = storeFiles('failing', {
  operations: ['createVectorStoreFile', 'listVectorStoreFiles', 'retrieveVectorStoreFile'],
  shows: [
    'vector_store.file:*',
    'vector-store-files.failed.tells-why',
    'vector-store-files.last-error.fields',
    'vector-store-files.filter.complete',
  ],
  run: async (stage) => {
    const vector_store_id = await store(stage);
    const odd = [png(`${stage.tag}.png`, { width: 16, height: 16 }), text(`${stage.tag}.txt`, '')];
    for (const file of odd) {
      const path = await added(stage, vector_store_id, file);
      if (path === null) continue;
      await settled(stage, path);
      await filters(stage, path);
      await stage.call('retrieveVectorStoreFile', { path });
    }
  },
});

/** What the specification leaves open: a file that is there already, one that nobody uploaded, one that is deleted. */
export const oddities = storeFiles('oddities', {
  operations: ['createVectorStoreFile', 'retrieveVectorStoreFile', 'deleteFile'],
  shows: ['vector-store-files.create.*', 'vector-store-files.file-deleted.stays'],
  run: async (stage) => {
    const path = await storeFile(stage);
    const { vector_store_id, file_id } = path;
    await stage.call('createVectorStoreFile', { path: { vector_store_id }, body: { file_id } });
    const label = { pointer: 'body.file_id', keyword: 'unknown', side: 'violation', control: null } as const;
    const probe = { id: `createVectorStoreFile:${label.pointer}#${label.keyword}`, ...label };
    const body = { file_id: stage.unknownId('file-') };
    await stage.call('createVectorStoreFile', { path: { vector_store_id }, body, probe });
    await settled(stage, path);
    await stage.call('deleteFile', { path: { file_id } });
    await stage.call('retrieveVectorStoreFile', { path });
  },
});

function storeFiles(topic: string, plan: Pick<Scenario, 'operations' | 'shows' | 'run'>): Scenario {
  const name = `vector-store-files.${topic}`;
  return scenario({ name, family: 'vector-store-files', cost: ['free'], roles: [], ...plan });
}

/** Waits until a file is processed, whatever came of it. */
async function settled(stage: Stage, path: StoreFilePath): Promise<void> {
  await stage.poll('retrieveVectorStoreFile', { path }, (json) => at(json, '/status') !== 'in_progress');
}

/** Every filter, and the whole list once more, so that a file that has moved in between proves nothing. */
async function filters(stage: Stage, { vector_store_id }: StoreFilePath): Promise<void> {
  const path = { vector_store_id };
  for (const filter of states) await stage.call('listVectorStoreFiles', { path, query: { filter } });
  await stage.call('listVectorStoreFiles', { path, query: { limit: 100 } });
}

/** Uploads a file and adds it to a store; null where the target takes no such file. */
async function added(stage: Stage, vector_store_id: string, file: FileValue): Promise<StoreFilePath | null> {
  const form = [
    { name: 'purpose', value: 'assistants' },
    { name: 'file', ...file },
  ];
  const upload = await stage.call('createFile', { form });
  if (!upload.ok) return null;
  const file_id = upload.text('/id');
  const path = { vector_store_id, file_id };
  const { ok } = await stage.call('createVectorStoreFile', { path: { vector_store_id }, body: { file_id } });
  return ok ? path : null;
}
