import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/requests.ts';
import { batchBody, CHAT, COMPLETIONS, chatLines, completionLines, uploadBatchInput } from './samples.ts';

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

async function ready(context: ScenarioContext): Promise<ReadyRequest> {
  const input = await uploadBatchInput(context, chatLines(context));
  const { metadata = null, ...fields } = batchBody(context, input);
  return { fields, cheap: { metadata } };
}
