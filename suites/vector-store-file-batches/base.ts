import { baseRequest } from '../generate/requests.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';

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
