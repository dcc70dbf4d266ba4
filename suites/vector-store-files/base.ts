import type { Stage } from '../../drive/scenario.ts';
import { base } from '../generate/base.ts';
import { files, store } from '../vector-stores/samples.ts';
import { storeFile } from './samples.ts';

const ofOwnFile = async (stage: Stage) => ({ path: await storeFile(stage) });

export const createVectorStoreFile = base({
  operation: 'createVectorStoreFile',
  ready: async (stage) => {
    const [[file_id = ''], vector_store_id] = await Promise.all([files(stage, 1), store(stage)]);
    return { path: { vector_store_id }, fields: { file_id } };
  },
});

export const listVectorStoreFiles = base({
  operation: 'listVectorStoreFiles',
  ready: async (stage) => {
    const { vector_store_id, file_id } = await storeFile(stage);
    const cursor = () => file_id;
    return { path: { vector_store_id }, samples: { 'query.after': cursor, 'query.before': cursor } };
  },
});

export const retrieveVectorStoreFile = base({ operation: 'retrieveVectorStoreFile', ready: ofOwnFile });

export const deleteVectorStoreFile = base({ operation: 'deleteVectorStoreFile', ready: ofOwnFile });
