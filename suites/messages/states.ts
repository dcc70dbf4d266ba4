import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Message of a run',
  spec: '1 States and transitions',
  objects: ['thread.message'],
  createdBy: [],
  states: ['in_progress', 'incomplete', 'completed'],
  transitions: [
    [null, 'in_progress'],
    ['in_progress', 'completed'],
  ],
};
