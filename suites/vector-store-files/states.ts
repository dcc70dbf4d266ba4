import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Vector store file',
  spec: '1 States and transitions',
  objects: ['vector_store.file'],
  begins: ['createVectorStoreFile'],
  states: ['in_progress', 'completed', 'cancelled', 'failed'],
  ways: [],
};
