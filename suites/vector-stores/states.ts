import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Vector store',
  spec: '1 States and transitions',
  objects: ['vector_store'],
  createdBy: ['createVectorStore'],
  states: ['in_progress', 'completed', 'expired'],
  transitions: [],
};
