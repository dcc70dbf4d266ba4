import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DigestSearch, secretDigest } from './secret-digest.ts';

test('a secret digest does not contain its secret, and finds it at any position', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
      fc.uint8Array(),
      fc.uint8Array(),
      (text, before, after) => {
        const digest = secretDigest(text);
        const search = new DigestSearch([digest]);
        const found = search.findIn(Buffer.concat([before, Buffer.from(text), after]));
        expect(found).toEqual(new Map([[digest, text]]));
        expect(search.findIn(Buffer.from(text).subarray(1)).size).toBe(0);
        // A secret that equals a name in the format, such as `length`, is not a leak.
        const isName = JSON.stringify(Object.keys(digest)).includes(text);
        if (text.length > 5 && !isName) expect(JSON.stringify(digest)).not.toContain(text);
      },
    ),
  );
});
