import type { ModelReply } from '../model/generate.ts';
import { textLogprobs } from './logprobs.ts';
import type { CompletionRequest, Prompt } from './request.ts';

/** One answer to one prompt. */
export interface TextAnswer {
  readonly prompt: Prompt;
  readonly reply: ModelReply;
}

type Asked = Pick<CompletionRequest, 'echo' | 'logprobs'>;

/** A choice in one piece. */
export function wholeChoice({ prompt, reply }: TextAnswer, index: number, { echo, logprobs }: Asked) {
  const tokens = echo === true ? [...prompt, ...reply.tokens] : reply.tokens;
  return {
    text: tokens.join(''),
    index,
    logprobs: typeof logprobs === 'number' ? textLogprobs(tokens, logprobs) : null,
    finish_reason: reply.finish,
  };
}

/** The same piece by piece: the echoed prompt, each token, then the reason why it ends. */
export function* choiceParts({ prompt, reply }: TextAnswer, index: number, { echo, logprobs }: Asked) {
  const spoken = reply.tokens.map((token) => [token]);
  let place = 0;
  let offset = 0;
  for (const tokens of echo === true ? [prompt, ...spoken] : spoken) {
    const text = tokens.join('');
    const told = typeof logprobs === 'number' ? textLogprobs(tokens, logprobs, place, offset) : null;
    yield { text, index, logprobs: told, finish_reason: null };
    place += tokens.length;
    offset += text.length;
  }
  yield { text: '', index, logprobs: null, finish_reason: reply.finish };
}
