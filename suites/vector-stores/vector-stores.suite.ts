import { valueAt } from '../../drive/scenario/call-result.ts';
import { type Scenario, scenario } from '../../drive/scenario/scenario.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import { createdResource } from '../generate/resources.ts';

import { createSampleStore, ONE_DAY, uploadStoreFiles } from './samples.ts';

const vectorStoreResource = createdResource('vector-stores');

export const listPaging = listScenarios({
  operation: 'listVectorStores',
  element: (context) => createSampleStore(context),
});

export const lifecycle = lifecycleScenario({
  resource: vectorStoreResource,
  bodies: async ({ tag }) => [
    { metadata: { assay: tag } },
    { name: tag, metadata: { assay: tag, empty: '' }, expires_after: { duration: ONE_DAY }, file_ids: [] },
  ],
  modifications: async ({ tag }) => [
    { name: `${tag} renamed` },
    { metadata: { assay: tag, more: '一瞥, 🎉, e\u0301' } },
    { expires_after: { duration: 2 * ONE_DAY } },
    { name: tag, metadata: { assay: tag }, expires_after: { duration: ONE_DAY } },
    { metadata: {} },
    { expires_after: null },
    { name: null },
    {},
  ],
});

export const filled = stores('filled', {
  operations: ['createVectorStore', 'retrieveVectorStore', 'deleteVectorStore'],
  run: async (context) => {
    const path = {
      // More than a message of the legacy form may have.
      vector_store_id: await createSampleStore(context, { file_ids: await uploadStoreFiles(context, 11) }),
    };
    await context.poll('retrieveVectorStore', { path }, (json) => valueAt(json, '/status') !== 'in_progress');
    await context.call('listVectorStoreFiles', { path, query: { limit: 100 } });
    await context.call('retrieveVectorStore', { path });
    await context.call('deleteVectorStore', { path });
    await context.call('deleteVectorStore', { path });
  },
});

/** The policy is short enough for the store to expire during the scenario. */
export const expiry = stores('expiry', {
  operations: ['createVectorStore', 'retrieveVectorStore'],
  run: async (context) => {
    const [file_id = ''] = await uploadStoreFiles(context, 1);
    const path = { vector_store_id: await createSampleStore(context, { expires_after: { duration: 1 } }) };
    await context.call('retrieveVectorStore', { path });
    await context.nextSecond();
    await context.call('retrieveVectorStore', { path });
    await context.call('createVectorStoreFile', { path, body: { file_id } });
  },
});

export const header = stores('without-header', {
  operations: ['retrieveVectorStore'],
  run: async (context) => {
    const path = { vector_store_id: await createSampleStore(context) };
    await context.call('retrieveVectorStore', { path, variant: 'none' });
    await context.call('retrieveVectorStore', { path, variant: 'v1' });
  },
});

export const unknown = stores('unknown-file', {
  operations: ['createVectorStore'],
  run: async (context) => {
    const body = { name: context.tag, file_ids: [context.unknownId('file-')] };
    const label = {
      pointer: 'body.file_ids[]',
      keyword: 'unknown',
      side: 'violation',
      control: null,
    } as const;
    const probe = { id: `createVectorStore:${label.pointer}#${label.keyword}`, ...label };
    await context.call('createVectorStore', { body, probe });
  },
});

export const filesOfDeleted = stores('delete-with-files', {
  operations: ['createVectorStore', 'deleteVectorStore', 'retrieveVectorStoreFile'],
  run: async (context) => {
    const [file_id = ''] = await uploadStoreFiles(context, 1);
    const vector_store_id = await createSampleStore(context, { file_ids: [file_id] });
    const path = { vector_store_id, file_id };
    await context.call('retrieveVectorStoreFile', { path });
    await context.call('deleteVectorStore', { path: { vector_store_id } });
    await context.call('retrieveVectorStoreFile', { path });
  },
});

function stores(topic: string, plan: Pick<Scenario, 'operations' | 'run'>): Scenario {
  return scenario({ name: `vector-stores.${topic}`, cost: ['free'], ...plan });
}
