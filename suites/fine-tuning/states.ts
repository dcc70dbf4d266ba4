import type { StateMachine } from '../../judge/coverage/state-machines.ts';

/** States and transitions of a job as the specification draws them; others are left open. */
export const stateMachine: StateMachine = {
  name: 'Fine-tuning job',
  spec: '2 States and transitions',
  objects: ['fine_tuning.job'],
  createdBy: ['createFineTuningJob'],
  states: ['validating_files', 'queued', 'running', 'succeeded', 'failed', 'cancelled'],
  transitions: [
    [null, 'queued'],
    ['queued', 'cancelled'],
    ['running', 'cancelled'],
    ['validating_files', 'cancelled'],
  ],
};
