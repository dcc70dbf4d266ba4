import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Vector store file',
  spec: '1 States and transitions',
  objects: ['vector_store.file'],
  createdBy: ['createVectorStoreFile'],
  states: ['in_progress', 'completed', 'cancelled', 'failed'],
  transitions: [],
};
