import { baseRequest, pathRequests } from '../generate/requests.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';
import { createSampleFileBatch } from './samples.ts';

export const createVectorStoreFileBatch = baseRequest({
  operation: 'createVectorStoreFileBatch',
  ready: async (context) => {
    const [made, vector_store_id] = await Promise.all([
      uploadStoreFiles(context, 2),
      createSampleStore(context),
    ]);
    const waiting = [...made];
    return {
      path: { vector_store_id },
      // The effect of adding a file twice is not stated, so each valid request adds a new file.
      fields: {
        get file_ids() {
          return [waiting.shift() ?? made[0] ?? ''];
        },
      },
    };
  },
});

export const fileBatchesByPath = pathRequests(
  ['retrieveVectorStoreFileBatch', 'cancelVectorStoreFileBatch'],
  async (context) => (await createSampleFileBatch(context)).path,
);

export const listVectorStoreFileBatchFiles = baseRequest({
  operation: 'listVectorStoreFileBatchFiles',
  ready: async (context) => {
    const { path, files: made } = await createSampleFileBatch(context);
    const cursor = () => made[0] ?? '';
    return { path, samples: { 'query.after': cursor, 'query.before': cursor } };
  },
});
