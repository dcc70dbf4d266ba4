import { alternatives, bytesOf, logprobOf } from '../model/logprobs.ts';

/** The logprobs object of a choice, or null for a reply without tokens. `from` is the position of the first token. */
export function chatLogprobs(tokens: readonly string[], top: number, from = 0) {
  // Replies that are tool calls have no content whose probabilities could be listed.
  if (tokens.length === 0) return null;
  return {
    content: tokens.map((token, n) => ({
      token,
      logprob: logprobOf(token, from + n),
      bytes: bytesOf(token),
      top_logprobs: alternatives(token, from + n, top),
    })),
  };
}
