import { baseRequest } from '../generate/requests.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';

export const createVectorStoreFileBatch = baseRequest({
  operation: 'createVectorStoreFileBatch',
  ready: async (context) => {
    const [files, vector_store_id] = await Promise.all([
      uploadStoreFiles(context, 2),
      createSampleStore(context),
    ]);
    const unused = [...files];
    return {
      path: { vector_store_id },
      // Each read takes a new file while one is left, because the effect of adding a file twice is not stated.
      fields: {
        get file_ids() {
          return [unused.shift() ?? files[0] ?? ''];
        },
      },
    };
  },
});
