import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** Part 2, "States and transitions". States and transitions of a batch as the specification draws them; others are left open. */
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
