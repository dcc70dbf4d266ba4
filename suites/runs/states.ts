import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** As the specification draws it; what it does not draw is left open. */
export const stateMachine: StateMachine = {
  name: 'Run',
  spec: '1 States and transitions',
  objects: ['thread.run'],
  createdBy: ['createRun', 'createThreadAndRun'],
  states: ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'],
  transitions: [
    [null, 'queued'],
    ['queued', 'in_progress'],
    ['in_progress', 'requires_action'],
    ['in_progress', 'completed'],
    ['in_progress', 'incomplete'],
  ],
};
