import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenId, tokenize, tokenText, topLogprobs } from './tokens.ts';

const text = fc.string({ unit: 'binary', maxLength: 200 });

describe('tokens', () => {
  it('join to the original text', () => {
    fc.assert(fc.property(text, (original) => tokenize(original).join('') === original));
  });

  it('have an id each, and the id of a known word maps back to it', () => {
    for (const word of [' the', ' of', ' you']) expect(tokenText(tokenId(word))).toBe(word);
    fc.assert(fc.property(text, (original) => tokenize(original).every((token) => tokenId(token) >= 0)));
  });

  it('have no more log probabilities than there are words', () => {
    expect(topLogprobs('xyzzy', 3, 1000).length).toBeLessThan(100);
  });

  it('have the requested number of distinct log probabilities, the most likely first', () => {
    const entries = topLogprobs(' the', 3, 20);
    expect(new Set(entries.map(({ token }) => token)).size).toBe(20);
    expect(entries.map(({ logprob }) => logprob)).toEqual(
      entries.map(({ logprob }) => logprob).sort((a, b) => b - a),
    );
  });
});
