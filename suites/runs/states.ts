import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Run',
  spec: '1 States and transitions',
  objects: ['thread.run'],
  begins: ['createRun', 'createThreadAndRun'],
  states: ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'],
  ways: [
    [null, 'queued'],
    ['queued', 'in_progress'],
    ['in_progress', 'requires_action'],
    ['in_progress', 'completed'],
    ['in_progress', 'incomplete'],
  ],
};
