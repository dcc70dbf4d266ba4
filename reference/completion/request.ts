import { detokenize, tokenize } from '../model/tokens.ts';
import { ApiError } from '../server/api-error.ts';
import { range } from '../server/limits.ts';

type PromptValue = string | readonly (string | number | readonly number[])[] | null;

/** What the handler reads of a text completion request; the request schema has accepted it. */
export interface CompletionRequest {
  readonly model: string;
  readonly prompt?: PromptValue;
  readonly best_of?: number | null;
  readonly echo?: boolean | null;
  readonly logit_bias?: Readonly<Record<string, number>> | null;
  readonly logprobs?: number | null;
  readonly max_tokens?: number | null;
  readonly n?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly suffix?: string | null;
}

/** All prompts of one request times all candidates of each: more would keep the service busy for long. */
const mostCandidates = 2048;

/** A prompt as its tokens. */
export type Prompt = readonly string[];

/** @throws ApiError 400 for rules across fields and the limits of this service; returns the prompts. */
export function checkCompletion(body: CompletionRequest): readonly Prompt[] {
  const prompts = readPrompts(body.prompt ?? '');
  const n = body.n ?? 1;
  range('n', body.n, 1, 128);
  range('max_tokens', body.max_tokens, 0, Number.MAX_SAFE_INTEGER);
  range('logprobs', body.logprobs, 0, 5);
  if (typeof body.best_of === 'number' && body.best_of <= n) {
    throw ApiError.invalid('best_of', `'best_of' must be greater than 'n', which is ${n}.`);
  }
  if (prompts.length * (body.best_of ?? n) > mostCandidates) {
    throw ApiError.invalid(
      'prompt',
      `At most ${mostCandidates} completions can be asked for in one request.`,
    );
  }
  return prompts;
}

/** One prompt of text or token ids, or several of either. */
function readPrompts(prompt: Exclude<PromptValue, null>): readonly Prompt[] {
  if (typeof prompt === 'string') return [tokenize(prompt)];
  if (prompt.length === 0) return [[]];
  const ids = prompt.filter((part) => typeof part === 'number');
  if (ids.length === prompt.length) return [tokensOf(ids)];
  return prompt.map((part) => (typeof part === 'string' ? tokenize(part) : tokensOf([part].flat())));
}

function tokensOf(ids: readonly number[]): Prompt {
  return ids.map((id) => detokenize([id]));
}
