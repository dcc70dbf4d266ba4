import type { ModelReply } from '../model/generate.ts';
import { textLogprobs } from './logprobs.ts';
import type { CompletionRequest, Prompt } from './request.ts';

/** One reply to one prompt. */
export interface TextAnswer {
  readonly prompt: Prompt;
  readonly reply: ModelReply;
}

/** The fields of the request that shape a choice. */
type ChoiceOptions = Pick<CompletionRequest, 'echo' | 'logprobs'>;

/** A choice of a response without streaming; an echoed prompt comes before the reply. */
export function wholeChoice({ prompt, reply }: TextAnswer, index: number, { echo, logprobs }: ChoiceOptions) {
  const tokens = echo === true ? [...prompt, ...reply.tokens] : reply.tokens;
  return {
    text: tokens.join(''),
    index,
    logprobs: typeof logprobs === 'number' ? textLogprobs(tokens, logprobs) : null,
    finish_reason: reply.finish,
  };
}

/** The same choice in chunks: the echoed prompt, one token each, then the finish reason. Joined, they equal `wholeChoice`. */
export function* choiceParts(
  { prompt, reply }: TextAnswer,
  index: number,
  { echo, logprobs }: ChoiceOptions,
) {
  const spoken = reply.tokens.map((token) => [token]);
  // Position in tokens and offset in characters continue from chunk to chunk, so that joined arrays equal the
  // whole.
  let place = 0;
  let offset = 0;
  for (const tokens of echo === true ? [prompt, ...spoken] : spoken) {
    const text = tokens.join('');
    const shown = typeof logprobs === 'number' ? textLogprobs(tokens, logprobs, place, offset) : null;
    yield { text, index, logprobs: shown, finish_reason: null };
    place += tokens.length;
    offset += text.length;
  }
  yield { text: '', index, logprobs: null, finish_reason: reply.finish };
}
