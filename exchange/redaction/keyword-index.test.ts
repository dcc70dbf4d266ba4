import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeywordIndex } from './keyword-index.ts';

const text = (max: number) => fc.string({ maxLength: max, unit: fc.constantFrom(...'abAB.') });

test('an index finds the same keywords as separate searches', () => {
  fc.assert(
    fc.property(fc.array(text(4).filter((keyword) => keyword !== '')), text(40), (keywords, content) => {
      const lower = content.toLowerCase();
      const expected = keywords.flatMap((keyword, i) => (lower.includes(keyword.toLowerCase()) ? [i] : []));
      const found = new KeywordIndex(keywords).findIn(Buffer.from(content));
      expect([...found].toSorted((a, b) => a - b)).toEqual(expected);
    }),
  );
});
