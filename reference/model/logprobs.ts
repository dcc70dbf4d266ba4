import { hashText } from '../state/ids.ts';
import { tokenText } from './tokens.ts';

/** A token with its log probability (natural logarithm) and its UTF-8 bytes. */
interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

const encoder = new TextEncoder();

/** The log probability of a generated token at a position: between -0.5 and -0.0001, the same on every run. */
export function logprobOf(token: string, place: number): number {
  return -(1 + (hashText(`${place} ${token}`) % 5000)) / 10_000;
}

/** The token and its alternatives, at most `most` entries, most likely first. Each has half of the probability that is left. */
export function alternatives(token: string, place: number, most: number): TokenLogprob[] {
  const found = new Map<string, number>();
  const rest = Math.log(1 - Math.exp(logprobOf(token, place)));
  if (most > 0) found.set(token, logprobOf(token, place));
  for (let n = 0; found.size < most; n += 1) {
    const other = tokenText(hashText(`${place} ${token}`) + n);
    if (!found.has(other)) found.set(other, rest - found.size * Math.LN2);
  }
  return [...found].map(([text, logprob]) => ({ token: text, logprob, bytes: bytesOf(text) }));
}

export function bytesOf(token: string): number[] {
  return [...encoder.encode(token)];
}
