import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Run step',
  spec: '1 States and transitions',
  objects: ['thread.run.step'],
  createdBy: [],
  states: ['in_progress', 'cancelled', 'failed', 'completed', 'expired'],
  transitions: [
    [null, 'in_progress'],
    ['in_progress', 'completed'],
    ['in_progress', 'expired'],
  ],
};
