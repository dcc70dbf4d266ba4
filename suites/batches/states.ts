import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Batch',
  spec: '2 States and transitions',
  objects: ['batch'],
  createdBy: ['createBatch'],
  states: ['validating', 'in_progress', 'cancelling', 'completed'],
  transitions: [
    [null, 'validating'],
    ['in_progress', 'cancelling'],
  ],
};
