import { valueAt } from '../../drive/scenario/call-result.ts';
import { type Scenario, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import type { FileValue } from '../generate/requests.ts';
import { createdResource } from '../generate/resources.ts';
import { pngFile, textFile } from '../generate/sample-files.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';
import { addFileToStore, type StoreFilePath } from './samples.ts';

const vectorStoreFile = createdResource('vector-store-files');

const states = ['in_progress', 'completed', 'failed', 'cancelled'];

/** `vector-store-file-batches.many` covers lists of more than one page. */
export const listPaging = listScenarios({
  operation: 'listVectorStoreFiles',
  owner: async (context) => ({ vector_store_id: await createSampleStore(context) }),
  element: async (context, path) => {
    const file_id = await uploadSample(context, 'assistants');
    await context.need('createVectorStoreFile', { path, body: { file_id } });
    return file_id;
  },
  filters: { filter: states },
  bulk: 0,
});

export const lifecycle = lifecycleScenario({
  resource: vectorStoreFile,
  owner: async (context) => ({ vector_store_id: await createSampleStore(context) }),
  bodies: async (context) => (await uploadStoreFiles(context, 2)).map((file_id) => ({ file_id })),
});

export const watched = storeFiles('watched', {
  operations: [
    'createVectorStoreFile',
    'listVectorStoreFiles',
    'retrieveVectorStoreFile',
    'deleteVectorStoreFile',
    'retrieveFile',
    'retrieveFileContent',
    'deleteFile',
  ],
  run: async (context) => {
    const path = await addFileToStore(context);
    const { file_id } = path;
    await filters(context, path);
    await settled(context, path);
    await filters(context, path);
    await context.call('retrieveFileContent', { path: { file_id } });
    await context.call('deleteVectorStoreFile', { path });
    await context.call('deleteVectorStoreFile', { path });
    await context.call('retrieveFile', { path: { file_id } });
    await context.call('retrieveFileContent', { path: { file_id } });
    await context.call('deleteFile', { path: { file_id } });
  },
});

export const twoStores = storeFiles('two-stores', {
  operations: ['createVectorStoreFile', 'retrieveVectorStoreFile', 'deleteVectorStoreFile'],
  run: async (context) => {
    const path = await addFileToStore(context);
    const other = { ...path, vector_store_id: await createSampleStore(context) };
    await context.need('createVectorStoreFile', {
      path: { vector_store_id: other.vector_store_id },
      body: { file_id: path.file_id },
    });
    await context.call('retrieveVectorStoreFile', { path: other });
    await context.call('deleteVectorStoreFile', { path });
    await context.call('retrieveVectorStoreFile', { path: other });
  },
});

export const failing = storeFiles('failing', {
  operations: ['createVectorStoreFile', 'listVectorStoreFiles', 'retrieveVectorStoreFile'],
  run: async (context) => {
    const vector_store_id = await createSampleStore(context);
    const odd = [
      pngFile(`${context.tag}.png`, { width: 16, height: 16 }),
      textFile(`${context.tag}.txt`, ''),
    ];
    for (const file of odd) {
      const path = await added(context, vector_store_id, file);
      if (path === null) continue;
      await settled(context, path);
      await filters(context, path);
      await context.call('retrieveVectorStoreFile', { path });
    }
  },
});

export const oddities = storeFiles('oddities', {
  operations: ['createVectorStoreFile', 'retrieveVectorStoreFile', 'deleteFile'],
  run: async (context) => {
    const path = await addFileToStore(context);
    const { vector_store_id, file_id } = path;
    await context.call('createVectorStoreFile', { path: { vector_store_id }, body: { file_id } });
    const label = { pointer: 'body.file_id', keyword: 'unknown', side: 'violation', control: null } as const;
    const probe = { id: `createVectorStoreFile:${label.pointer}#${label.keyword}`, ...label };
    const body = { file_id: context.unknownId('file-') };
    await context.call('createVectorStoreFile', { path: { vector_store_id }, body, probe });
    await settled(context, path);
    await context.call('deleteFile', { path: { file_id } });
    await context.call('retrieveVectorStoreFile', { path });
  },
});

function storeFiles(topic: string, plan: Pick<Scenario, 'operations' | 'run'>): Scenario {
  const name = `vector-store-files.${topic}`;
  return scenario({ name, family: 'vector-store-files', cost: ['free'], ...plan });
}

async function settled(context: ScenarioContext, path: StoreFilePath): Promise<void> {
  await context.poll(
    'retrieveVectorStoreFile',
    { path },
    (json) => valueAt(json, '/status') !== 'in_progress',
  );
}

/** Requests every filter and then the whole list: a file whose status changed in between is not evidence. */
async function filters(context: ScenarioContext, { vector_store_id }: StoreFilePath): Promise<void> {
  const path = { vector_store_id };
  for (const filter of states) await context.call('listVectorStoreFiles', { path, query: { filter } });
  await context.call('listVectorStoreFiles', { path, query: { limit: 100 } });
}

/** Returns null if the target rejects the file. */
async function added(
  context: ScenarioContext,
  vector_store_id: string,
  file: FileValue,
): Promise<StoreFilePath | null> {
  const form = [
    { name: 'purpose', value: 'assistants' },
    { name: 'file', ...file },
  ];
  const upload = await context.call('createFile', { form });
  if (!upload.ok) return null;
  const file_id = upload.text('/id');
  const path = { vector_store_id, file_id };
  const { ok } = await context.call('createVectorStoreFile', {
    path: { vector_store_id },
    body: { file_id },
  });
  return ok ? path : null;
}
