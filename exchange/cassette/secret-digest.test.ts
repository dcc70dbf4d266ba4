import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DigestSearch, secretDigest } from './secret-digest.ts';

test('a whole secret is found by its digest at any position', () => {
  const secrets = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
  fc.assert(
    fc.property(secrets, fc.uint8Array(), fc.uint8Array(), (text, before, after) => {
      const digest = secretDigest(text);
      const search = new DigestSearch([digest]);
      const found = search.findIn(Buffer.concat([before, Buffer.from(text), after]));
      expect(found).toEqual(new Map([[digest, text]]));
      expect(search.findIn(Buffer.from(text).subarray(1)).size).toBe(0);
    }),
  );
});

test('a forged digest that states an enormous length matches nothing', () => {
  const forged = { ...secretDigest('secret'), length: Number.MAX_SAFE_INTEGER };
  expect(new DigestSearch([forged]).findIn(Buffer.from('secret')).size).toBe(0);
});

test('a digest does not contain its secret', () => {
  // Shorter secrets may occur in a digest by chance.
  fc.assert(
    fc.property(fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' }), (text) => {
      const digest = secretDigest(text);
      // A secret that equals a name in the format, such as `length`, is not a leak.
      fc.pre(!JSON.stringify(Object.keys(digest)).includes(text));
      expect(JSON.stringify(digest)).not.toContain(text);
    }),
  );
});
