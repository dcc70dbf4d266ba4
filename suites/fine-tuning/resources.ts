import type { Resource } from '../generate/relations/resource.ts';

/**
 * A job moves from state to state by itself; hyperparameters that are left to the service are set on the
 * way.
 */
export const jobResource = {
  area: 'fine-tuning',
  noun: 'fine-tuning job',
  spec: '2 Fine-tuning job',
  create: 'createFineTuningJob',
  retrieve: 'retrieveFineTuningJob',
  list: 'listFineTuningJobs',
  moving: [
    'status',
    'error',
    'fine_tuned_model',
    'finished_at',
    'hyperparameters',
    'result_files',
    'trained_tokens',
    'estimated_finish',
  ],
  // The kinds of integrations are left open, and so is their form in a response.
  unlike: ['model', 'hyperparameters', 'integrations'],
} satisfies Resource;
