import { follow, precedes } from '../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';

/** The models that the specification names; the first one is the default. */
export const MODERATION_MODELS = ['text-moderation-latest', 'text-moderation-stable'] as const;

const [DEFAULT] = MODERATION_MODELS;

/** A moderation without a model, and the last earlier one that names the default model. */
export interface DefaultModelPair extends Evidence {
  /** The request names the default model. */
  readonly named: Call;
  /** The request has no model. */
  readonly unnamed: Call;
}

/** Pairs of moderations, in the order of the trace, both with a model in the response. */
export const defaultModelPairs: Selector<DefaultModelPair> = follow(
  ['createModeration'],
  () => {
    let named: Call | null = null;
    return (call) => {
      if (textAt(call.responseJson, 'model') === undefined) return [];
      const model = valueAtPath(call.requestJson, 'model');
      if (model === DEFAULT) named = call;
      if (model !== undefined || named === null || !precedes(named.exchange, call.exchange)) return [];
      return [{ named, unnamed: call, exchanges: [named.exchange, call.exchange] }];
    };
  },
  'an answer with a model, to a request without one, after one with the name of the default',
);
