import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Batch',
  spec: '2 States and transitions',
  objects: ['batch'],
  begins: ['createBatch'],
  states: ['validating', 'in_progress', 'cancelling', 'completed'],
  ways: [
    [null, 'validating'],
    ['in_progress', 'cancelling'],
  ],
};
