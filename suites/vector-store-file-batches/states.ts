import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Vector store file batch',
  spec: '1 States and transitions',
  objects: ['vector_store.file_batch', 'vector_store.files_batch'],
  createdBy: ['createVectorStoreFileBatch'],
  states: ['in_progress', 'cancelling', 'completed', 'cancelled', 'failed'],
  transitions: [
    [null, 'in_progress'],
    ['in_progress', 'cancelling'],
  ],
};
