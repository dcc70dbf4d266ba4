import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';

/** From and to, both included. */
type Range = readonly [least: number, most: number];

/**
 * Numbers for which the specification states a type and no range: where each service can carry them out. Ten answers are as many
 * as it states for images, five likely tokens as many as for text completions.
 */
const RANGES: Readonly<Record<string, Range>> = {
  n: [1, 10],
  best_of: [1, 10],
  top_logprobs: [0, 5],
  logprobs: [0, 5],
  max_tokens: [1, Number.MAX_SAFE_INTEGER],
  max_prompt_tokens: [1, Number.MAX_SAFE_INTEGER],
  max_completion_tokens: [1, Number.MAX_SAFE_INTEGER],
  top_p: [Number.MIN_VALUE, 1],
  // Integers of 32 bits with a sign are the narrowest that services keep a seed in.
  seed: [0, 2 ** 31 - 1],
};

/** Ids of tokens up to this are in the vocabulary of each model that can write every byte. */
const TOKENS = 256;

/** Whether a number is outside the range in which it has a meaning for every service. */
export function hasOtherNumber(body: JsonObject): boolean {
  const isOther = Object.entries(RANGES).some(([name, [least, most]]) => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    return typeof value === 'number' && (value < least || value > most);
  });
  const { expires_after: policy } = body;
  const duration = isObject(policy) ? policy['duration'] : undefined;
  return isOther || (typeof duration === 'number' && duration < 1);
}

/** Whether a token is named that a vocabulary may not have. */
export function hasOtherTokens({ logit_bias: bias, prompt }: JsonObject): boolean {
  const biased = isObject(bias) ? Object.keys(bias) : [];
  if (!biased.every((id) => /^(0|[1-9]\d{0,2})$/.test(id) && isCommon(Number(id)))) return true;
  const prompts: readonly Json[] = Array.isArray(prompt) ? prompt.flat() : [];
  return prompts.some((token) => typeof token === 'number' && !isCommon(token));
}

/** Whether every vocabulary has a token. */
function isCommon(token: number): boolean {
  return token >= 0 && token < TOKENS;
}
