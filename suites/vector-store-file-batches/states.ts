import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Vector store file batch',
  spec: '1 States and transitions',
  objects: ['vector_store.file_batch', 'vector_store.files_batch'],
  begins: ['createVectorStoreFileBatch'],
  states: ['in_progress', 'cancelling', 'completed', 'cancelled', 'failed'],
  ways: [
    [null, 'in_progress'],
    ['in_progress', 'cancelling'],
  ],
};
