import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest } from '../generate/base.ts';
import {
  batchBody,
  CHAT,
  COMPLETIONS,
  chatLines,
  completionLines,
  createSampleBatch,
  uploadBatchInput,
} from './samples.ts';

const ofOwnBatch = async (context: ScenarioContext) => ({
  path: { batch_id: await createSampleBatch(context) },
});

export const createBatch = baseRequest({
  operation: 'createBatch',
  roles: ['chat'],
  ready: async (context) => {
    const { metadata = null, ...fields } = batchBody(
      context,
      await uploadBatchInput(context, chatLines(context)),
    );
    return { fields, cheap: { metadata } };
  },
});

/** The request of the third endpoint, embeddings, is not shown, so it is never sent as one to accept. */
export const createBatchByEndpoint = baseRequest({
  operation: 'createBatch',
  only: ['body.endpoint'],
  roles: ['chat', 'completion'],
  ready: async (context) => {
    const { metadata = null, ...fields } = batchBody(
      context,
      await uploadBatchInput(context, chatLines(context)),
    );
    const completions = await uploadBatchInput(context, completionLines(context));
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

export const retrieveBatch = baseRequest({
  operation: 'retrieveBatch',
  roles: ['chat'],
  cost: ['batches'],
  ready: ofOwnBatch,
});

export const cancelBatch = baseRequest({
  operation: 'cancelBatch',
  roles: ['chat'],
  cost: ['batches'],
  ready: ofOwnBatch,
});

export const listBatches = baseRequest({
  operation: 'listBatches',
  roles: ['chat'],
  cost: ['batches'],
  ready: async (context) => {
    const cursor = await createSampleBatch(context);
    return { samples: { 'query.after': () => cursor } };
  },
});
