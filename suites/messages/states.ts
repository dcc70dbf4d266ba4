import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Message of a run',
  spec: '1 States and transitions',
  objects: ['thread.message'],
  begins: [],
  states: ['in_progress', 'incomplete', 'completed'],
  ways: [
    [null, 'in_progress'],
    ['in_progress', 'completed'],
  ],
};
