import type { Stage } from '../../drive/scenario.ts';
import { base } from '../generate/base.ts';
import { batch, bodyOf, CHAT, COMPLETIONS, chatLines, completionLines, input } from './samples.ts';

const ofOwnBatch = async (stage: Stage) => ({ path: { batch_id: await batch(stage) } });

export const createBatch = base({
  operation: 'createBatch',
  roles: ['chat'],
  ready: async (stage) => {
    const { metadata = null, ...fields } = bodyOf(stage, await input(stage, chatLines(stage)));
    return { fields, cheap: { metadata } };
  },
});

/** The request of the third endpoint, embeddings, is not shown, so it is never sent as one to accept. */
export const createBatchByEndpoint = base({
  operation: 'createBatch',
  only: ['body.endpoint'],
  roles: ['chat', 'completion'],
  ready: async (stage) => {
    const { metadata = null, ...fields } = bodyOf(stage, await input(stage, chatLines(stage)));
    const completions = await input(stage, completionLines(stage));
    return {
      fields,
      cheap: { metadata },
      rules: {
        'body.endpoint#enum': [
          { control: { endpoint: CHAT }, violation: { endpoint: '/v1/assay_no_such_endpoint' } },
          { control: { endpoint: COMPLETIONS, input_file_id: completions } },
        ],
      },
    };
  },
});

export const retrieveBatch = base({
  operation: 'retrieveBatch',
  roles: ['chat'],
  cost: ['batches'],
  ready: ofOwnBatch,
});

export const cancelBatch = base({
  operation: 'cancelBatch',
  roles: ['chat'],
  cost: ['batches'],
  ready: ofOwnBatch,
});

export const listBatches = base({
  operation: 'listBatches',
  roles: ['chat'],
  cost: ['batches'],
  ready: async (stage) => {
    const cursor = await batch(stage);
    return { samples: { 'query.after': () => cursor } };
  },
});
