import type { Life } from '../../judge/lives.ts';

/** As the specification draws it; what it does not draw is left open. */
export const life: Life = {
  name: 'Fine-tuning job',
  spec: '2 States and transitions',
  objects: ['fine_tuning.job'],
  begins: ['createFineTuningJob'],
  states: ['validating_files', 'queued', 'running', 'succeeded', 'failed', 'cancelled'],
  ways: [
    [null, 'queued'],
    ['queued', 'cancelled'],
    ['running', 'cancelled'],
    ['validating_files', 'cancelled'],
  ],
};
