import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenId, tokenize, tokenText, topLogprobs } from './tokens.ts';

const text = fc.string({ unit: 'binary', maxLength: 200 });

describe('tokens', () => {
  it('join to the original text', () => {
    fc.assert(fc.property(text, (original) => tokenize(original).join('') === original));
  });

  it('each have an integer id from 0 to 99,999, and the id of a word of the vocabulary maps back to it', () => {
    for (const word of [' the', ' of', ' you']) expect(tokenText(tokenId(word))).toBe(word);
    const hasId = (token: string) =>
      Number.isInteger(tokenId(token)) && tokenId(token) >= 0 && tokenId(token) < 100_000;
    fc.assert(fc.property(text, (original) => tokenize(original).every(hasId)));
  });

  it('have fewer log probabilities than requested if the vocabulary has too few words', () => {
    const entries = topLogprobs('xyzzy', 3, 1000);
    const words = new Set(Array.from({ length: 1000 }, (_, id) => tokenText(id)));
    expect(new Set(entries.map(({ token }) => token))).toEqual(words.add('xyzzy'));
  });

  it('have log probabilities of the requested number of distinct tokens, the most likely first', () => {
    const entries = topLogprobs(' the', 3, 20);
    expect(new Set(entries.map(({ token }) => token)).size).toBe(20);
    expect(entries.map(({ logprob }) => logprob)).toEqual(
      entries.map(({ logprob }) => logprob).sort((a, b) => b - a),
    );
  });
});
