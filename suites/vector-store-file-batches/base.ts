import type { Stage } from '../../drive/scenario.ts';
import { base } from '../generate/base.ts';
import { files, store } from '../vector-stores/samples.ts';
import { batch } from './samples.ts';

const ofOwnBatch = async (stage: Stage) => ({ path: (await batch(stage)).path });

export const createVectorStoreFileBatch = base({
  operation: 'createVectorStoreFileBatch',
  ready: async (stage) => {
    const [made, vector_store_id] = await Promise.all([files(stage, 2), store(stage)]);
    const waiting = [...made];
    return {
      path: { vector_store_id },
      // Nothing is said of a file that is in the store already, so each valid request brings another one.
      fields: {
        get file_ids() {
          return [waiting.shift() ?? made[0] ?? ''];
        },
      },
    };
  },
});

export const retrieveVectorStoreFileBatch = base({
  operation: 'retrieveVectorStoreFileBatch',
  ready: ofOwnBatch,
});

export const cancelVectorStoreFileBatch = base({
  operation: 'cancelVectorStoreFileBatch',
  ready: ofOwnBatch,
});

export const listVectorStoreFileBatchFiles = base({
  operation: 'listVectorStoreFileBatchFiles',
  ready: async (stage) => {
    const { path, files: made } = await batch(stage);
    const cursor = () => made[0] ?? '';
    return { path, samples: { 'query.after': cursor, 'query.before': cursor } };
  },
});
