import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Run step',
  spec: '1 States and transitions',
  objects: ['thread.run.step'],
  begins: [],
  states: ['in_progress', 'cancelled', 'failed', 'completed', 'expired'],
  ways: [
    [null, 'in_progress'],
    ['in_progress', 'completed'],
    ['in_progress', 'expired'],
  ],
};
