import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, pathRequests, type ReadyRequest } from '../generate/requests.ts';
import {
  batchBody,
  CHAT,
  COMPLETIONS,
  chatLines,
  completionLines,
  createSampleBatch,
  uploadBatchInput,
} from './samples.ts';

/**
 * A batch of two chat requests, the minimum that shows how lines are matched by `custom_id`. Probes of other fields omit the
 * metadata.
 */
export const createBatch = baseRequest({
  operation: 'createBatch',
  roles: ['chat'],
  ready,
});

/** The specification does not show the request of the third endpoint, embeddings, so none is sent as valid. */
export const createBatchByEndpoint = baseRequest({
  operation: 'createBatch',
  only: ['body.endpoint'],
  roles: ['chat', 'completion'],
  ready: async (context) => {
    const completions = await uploadBatchInput(context, completionLines(context));
    return {
      ...(await ready(context)),
      rules: {
        'body.endpoint#enum': [
          { control: { endpoint: CHAT }, violation: { endpoint: '/v1/assay_no_such_endpoint' } },
          { control: { endpoint: COMPLETIONS, input_file_id: completions } },
        ],
      },
    };
  },
});

/** Each probe cancels a new batch, because the effect of a second cancellation is left open. */
export const batchesByPath = pathRequests(
  ['retrieveBatch', 'cancelBatch'],
  async (context) => ({ batch_id: await createSampleBatch(context) }),
  { roles: ['chat'], cost: ['batches'] },
);

/** The cursor is a batch of this run, so it exists. */
export const listBatches = baseRequest({
  operation: 'listBatches',
  roles: ['chat'],
  cost: ['batches'],
  ready: async (context) => {
    const cursor = await createSampleBatch(context);
    return { samples: { 'query.after': () => cursor } };
  },
});

async function ready(context: ScenarioContext): Promise<ReadyRequest> {
  const input = await uploadBatchInput(context, chatLines(context));
  const { metadata = null, ...fields } = batchBody(context, input);
  return { fields, cheap: { metadata } };
}
