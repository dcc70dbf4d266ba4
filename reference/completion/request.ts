import { detokenize, tokenize } from '../model/tokens.ts';
import { ApiError } from '../server/api-error.ts';
import { range } from '../server/limits.ts';

/** Text, token ids, or a list of either. */
type PromptValue = string | readonly (string | number | readonly number[])[] | null;

/** The fields of a completion request that the handler reads, validated (2 Completions). */
export interface CompletionRequest {
  readonly model: string;
  readonly prompt?: PromptValue;
  /** Candidates for each prompt, of which the first `n` are returned. */
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
  /** Accepted by models with the ability `suffix` only; does not change the text. */
  readonly suffix?: string | null;
}

/** Most candidates of one request, over all prompts, so that it cannot keep the service busy for long. */
const mostCandidates = 2048;

/** A prompt as its tokens. */
export type Prompt = readonly string[];

/** Checks rules across fields and the limits of this service, and returns the prompts. @throws ApiError 400 */
export function checkCompletion(body: CompletionRequest): readonly Prompt[] {
  const prompts = readPrompts(body.prompt ?? '');
  const n = body.n ?? 1;
  // Limits without a statement in the specification bound the work of one request.
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

/** The prompts as tokens: one of text or of token ids, or several of either. */
function readPrompts(prompt: Exclude<PromptValue, null>): readonly Prompt[] {
  if (typeof prompt === 'string') return [tokenize(prompt)];
  if (prompt.length === 0) return [[]];
  const ids = prompt.filter((part) => typeof part === 'number');
  if (ids.length === prompt.length) return [tokensOf(ids)];
  return prompt.map((part) => (typeof part === 'string' ? tokenize(part) : tokensOf([part].flat())));
}

/** The text of each token id; unknown ids have a text, too, so that any list of ids is a prompt. */
function tokensOf(ids: readonly number[]): Prompt {
  return ids.map((id) => detokenize([id]));
}
