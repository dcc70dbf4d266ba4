import { alternatives, logprobOf } from '../model/logprobs.ts';

/**
 * The customary logprobs of a text choice: parallel arrays, a map of the likeliest tokens, offsets in UTF-16 code units.
 * `place` is the position of the first token, `offset` that of its first character.
 */
export function textLogprobs(tokens: readonly string[], top: number, place = 0, offset = 0) {
  // Offsets count from the beginning of the text of this choice, the echoed prompt included.
  let at = offset;
  return {
    tokens: [...tokens],
    token_logprobs: tokens.map((token, n) => logprobOf(token, place + n)),
    top_logprobs: tokens.map((token, n) =>
      Object.fromEntries(alternatives(token, place + n, top).map((entry) => [entry.token, entry.logprob])),
    ),
    text_offset: tokens.map((token) => {
      at += token.length;
      return at - token.length;
    }),
  };
}
