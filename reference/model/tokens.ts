import { hashText } from '../state/ids.ts';

/** A token is 1–12 letters, 1–3 digits or one other character, each with the space before it, or further spaces. */
const TOKEN = /\s?\p{L}{1,12}|\s?\p{N}{1,3}|\s+(?=\s)|\s?[^\s\p{L}\p{N}]|\s/gu;

/** The tokens of the lowest ids; higher ids are hashes. */
const VOCABULARY =
  ' the of and to in is it you that he was for on are with as his they be at one have this from or had by word but what some we can out other were all there when up use your how said an each she'.split(
    /(?= )/,
  );
const ID_SPACE = 100_000;
const encoder = new TextEncoder();

export function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Number of tokens: exact up to a million characters, an estimate beyond that. */
export function countTokens(text: string): number {
  return text.length > 1_000_000 ? Math.ceil(text.length / 4) : tokenize(text).length;
}

export function tokenId(token: string): number {
  const id = VOCABULARY.indexOf(token);
  if (id >= 0) return id;
  return VOCABULARY.length + (hashText(token) % (ID_SPACE - VOCABULARY.length));
}

/** Returns a text for token ids. A hash cannot be inverted, so higher ids become words of the vocabulary. */
export function detokenize(ids: readonly number[]): string {
  return ids.map(tokenText).join('');
}

export function tokenText(id: number): string {
  return VOCABULARY[Math.abs(id) % VOCABULARY.length] ?? ' the';
}

interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

/** The log probability of a generated token at a position: between -0.5 and -0.0001, the same on every run. */
export function logprobOf(token: string, position: number): number {
  return -(1 + (hashText(`${position} ${token}`) % 5000)) / 10_000;
}

/** Up to `max` entries: the token, then words of the vocabulary, each with half of the probability that remains. */
export function topLogprobs(token: string, position: number, max: number): TokenLogprob[] {
  const logprobs = new Map<string, number>();
  const remaining = Math.log(1 - Math.exp(logprobOf(token, position)));
  if (max > 0) logprobs.set(token, logprobOf(token, position));
  for (let n = 0; logprobs.size < max && n < VOCABULARY.length; n += 1) {
    const other = tokenText(hashText(`${position} ${token}`) + n);
    if (!logprobs.has(other)) logprobs.set(other, remaining - logprobs.size * Math.LN2);
  }
  return [...logprobs].map(([text, logprob]) => ({ token: text, logprob, bytes: bytesOf(text) }));
}

export function bytesOf(token: string): number[] {
  return [...encoder.encode(token)];
}

export function makeUsage(prompt: number, completion: number) {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
