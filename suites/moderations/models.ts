import { follow, precedes } from '../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';

/** The models that the specification names; the first one is the default. */
export const MODERATION_MODELS = ['text-moderation-latest', 'text-moderation-stable'] as const;

const [DEFAULT_MODEL] = MODERATION_MODELS;

/** A moderation without a model, and the last earlier one that names the default model. */
export interface DefaultModelPair extends Evidence {
  readonly withModel: Call;
  readonly withoutModel: Call;
}

export const defaultModelPairs: Selector<DefaultModelPair> = follow(
  ['createModeration'],
  () => {
    let withModel: Call | null = null;
    return (call) => {
      if (textAt(call.responseJson, 'model') === undefined) return [];
      const model = valueAtPath(call.requestJson, 'model');
      if (model === DEFAULT_MODEL) withModel = call;
      if (model !== undefined || withModel === null || !precedes(withModel.exchange, call.exchange))
        return [];
      return [{ withModel, withoutModel: call, exchanges: [withModel.exchange, call.exchange] }];
    };
  },
  'responses with a model to a request that names the default one, and to a later one that names none',
);
