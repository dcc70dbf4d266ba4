import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Vector store',
  spec: '1 States and transitions',
  objects: ['vector_store'],
  begins: ['createVectorStore'],
  states: ['in_progress', 'completed', 'expired'],
  ways: [],
};
