import { valueAt } from '../../drive/scenario/call-result.ts';
import { type Scenario, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { uploadFlawed } from '../files/samples.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import { createdResource } from '../generate/resources.ts';
import { pngFile } from '../generate/sample-files.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';
import { createSampleFileBatch, type FileBatchPath } from './samples.ts';

const fileBatchResource = createdResource('vector-store-file-batches');

const states = ['in_progress', 'completed', 'failed', 'cancelled'];

export const listPaging = listScenarios({
  operation: 'listVectorStoreFileBatchFiles',
  owner: ofTwoSeconds,
  filters: { filter: states },
});

export const lifecycle = lifecycleScenario({
  resource: fileBatchResource,
  owner: async (context) => ({ vector_store_id: await createSampleStore(context) }),
  bodies: async (context) => (await uploadStoreFiles(context, 2)).map((file_id) => ({ file_ids: [file_id] })),
});

export const watched = batches('watched', {
  operations: [
    'createVectorStoreFileBatch',
    'retrieveVectorStoreFileBatch',
    'listVectorStoreFileBatchFiles',
    'cancelVectorStoreFileBatch',
  ],
  run: async (context) => {
    const { path } = await createSampleFileBatch(context, 3, await uploadStoreFiles(context, 1));
    await filters(context, path);
    await settled(context, path);
    await filters(context, path);
    await context.call('retrieveVectorStoreFileBatch', { path });
    await context.call('listVectorStoreFiles', {
      path: { vector_store_id: path.vector_store_id },
      query: { limit: 100 },
    });
    await context.call('cancelVectorStoreFileBatch', { path });
    await context.call('retrieveVectorStoreFileBatch', { path });
  },
});

/** Cancels a batch at once. If it had ended already, retries with a larger batch. */
export const cancelled = batches('cancelled', {
  operations: ['cancelVectorStoreFileBatch', 'retrieveVectorStoreFileBatch', 'listVectorStoreFileBatchFiles'],
  run: async (context) => {
    for (const count of [3, 20]) {
      const { path } = await createSampleFileBatch(context, count);
      const { ok } = await context.call('cancelVectorStoreFileBatch', { path });
      await settled(context, path);
      await filters(context, path);
      await context.call('retrieveVectorStoreFileBatch', { path });
      if (ok) break;
    }
  },
});

/** One file contains nothing to search, and may fail. */
export const mixed = batches('mixed', {
  operations: ['createVectorStoreFileBatch', 'retrieveVectorStoreFileBatch', 'listVectorStoreFileBatchFiles'],
  run: async (context) => {
    const flawed = await uploadFlawed(
      context,
      'assistants',
      pngFile(`${context.tag}.png`, { width: 16, height: 16 }),
    );
    const file_ids = [...(await uploadStoreFiles(context, 2)), ...(flawed === null ? [] : [flawed])];
    const store = { vector_store_id: await createSampleStore(context) };
    const made = await context.call('createVectorStoreFileBatch', { path: store, body: { file_ids } });
    if (!made.ok) return;
    const path = { ...store, batch_id: made.text('/id') };
    await settled(context, path);
    await filters(context, path);
    await context.call('retrieveVectorStoreFileBatch', { path });
  },
});

export const spellings = batches('spellings', {
  operations: ['createVectorStoreFileBatch'],
  run: async (context) => {
    const { path, files: file_ids } = await createSampleFileBatch(context);
    const { vector_store_id } = path;
    await context.call('cancelVectorStoreFileBatch', { path, otherPath: true });
    await context.call('retrieveVectorStoreFileBatch', { path, otherPath: true });
    await context.call('listVectorStoreFileBatchFiles', { path, otherPath: true });
    const body = { file_ids };
    await context.call('createVectorStoreFileBatch', { path: { vector_store_id }, body, otherPath: true });
  },
});

export const oddities = batches('oddities', {
  operations: ['createVectorStoreFileBatch'],
  run: async (context) => {
    const [[file = ''], vector_store_id] = await Promise.all([
      uploadStoreFiles(context, 1),
      createSampleStore(context),
    ]);
    const path = { vector_store_id };
    const label = {
      pointer: 'body.file_ids[]',
      keyword: 'unknown',
      side: 'violation',
      control: null,
    } as const;
    const probe = { id: `createVectorStoreFileBatch:${label.pointer}#${label.keyword}`, ...label };
    const body = { file_ids: [context.unknownId('file-')] };
    await context.call('createVectorStoreFileBatch', { path, body, probe });
    await context.call('createVectorStoreFileBatch', { path, body: { file_ids: [] } });
    await context.call('createVectorStoreFileBatch', { path, body: { file_ids: [file, file] } });
  },
});

export const vectorStoreFileBatchesManyScenario = scenario({
  name: 'vector-store-file-batches.many',
  operations: ['listVectorStoreFileBatchFiles', 'listVectorStoreFiles'],
  cost: ['free', 'bulk'],
  run: async (context) => {
    const { path } = await createSampleFileBatch(context, 21);
    const { vector_store_id } = path;
    for (const query of [{}, { limit: 20 }, { limit: 100 }, { limit: 101 }]) {
      await context.call('listVectorStoreFileBatchFiles', { path, query });
      await context.call('listVectorStoreFiles', { path: { vector_store_id }, query });
    }
  },
});

function batches(topic: string, plan: Pick<Scenario, 'operations' | 'run'>): Scenario {
  const name = `vector-store-file-batches.${topic}`;
  return scenario({ name, family: 'vector-store-file-batches', cost: ['free'], ...plan });
}

async function settled(context: ScenarioContext, path: FileBatchPath): Promise<void> {
  await context.poll('retrieveVectorStoreFileBatch', { path }, (json) => {
    const status = valueAt(json, '/status');
    return status !== 'in_progress' && status !== 'cancelling';
  });
}

/** Requests every filter between two complete lists: a file whose status changed in between is not evidence. */
async function filters(context: ScenarioContext, path: FileBatchPath): Promise<void> {
  const whole = { path, query: { limit: 100 } };
  await context.call('listVectorStoreFileBatchFiles', whole);
  for (const filter of states)
    await context.call('listVectorStoreFileBatchFiles', { path, query: { filter } });
  await context.call('listVectorStoreFileBatchFiles', whole);
}

async function ofTwoSeconds(context: ScenarioContext): Promise<FileBatchPath> {
  const [file_ids, vector_store_id] = await Promise.all([
    uploadStoreFiles(context, 5),
    createSampleStore(context),
  ]);
  const path = { vector_store_id };
  const [first = '', second = '', ...others] = file_ids;
  for (const file_id of [first, second])
    await context.need('createVectorStoreFile', { path, body: { file_id } });
  await context.nextSecond();
  const again = await context.call('createVectorStoreFileBatch', { path, body: { file_ids } });
  const made = again.ok
    ? again
    : await context.need('createVectorStoreFileBatch', { path, body: { file_ids: others } });
  return { ...path, batch_id: made.text('/id') };
}
