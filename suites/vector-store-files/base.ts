import { baseRequest, pathRequests } from '../generate/requests.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';
import { addFileToStore } from './samples.ts';

export const createVectorStoreFile = baseRequest({
  operation: 'createVectorStoreFile',
  ready: async (context) => {
    const [[file_id = ''], vector_store_id] = await Promise.all([
      uploadStoreFiles(context, 1),
      createSampleStore(context),
    ]);
    return { path: { vector_store_id }, fields: { file_id } };
  },
});

export const listVectorStoreFiles = baseRequest({
  operation: 'listVectorStoreFiles',
  ready: async (context) => {
    const { vector_store_id, file_id } = await addFileToStore(context);
    const cursor = () => file_id;
    return { path: { vector_store_id }, samples: { 'query.after': cursor, 'query.before': cursor } };
  },
});

export const storeFilesByPath = pathRequests(
  ['retrieveVectorStoreFile', 'deleteVectorStoreFile'],
  addFileToStore,
);
