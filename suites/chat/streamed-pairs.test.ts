import { expect, test } from 'vitest';
import type { StreamedPair } from '../vocabulary/types.ts';
import { differingChoices } from './streamed-pairs.ts';

function createPair(...indexes: readonly number[]): StreamedPair {
  const choices = indexes.map((index) => ({ index }));
  const streamed = [{ chunks: [], call: { exchange: { id: 'e2' } } }];
  return { plain: [{ answer: { choices } }], streamed } as unknown as StreamedPair; // as: nothing else is compared
}

test('the expected indexes of choices cannot be mistaken for a count', () => {
  const listExpected = (one: StreamedPair) => differingChoices(one).map((violation) => violation.expected);
  expect(listExpected(createPair(0))).toEqual(['index 0 alone, as without streaming']);
  expect(listExpected(createPair(1, 0))).toEqual(['indexes 0, 1, as without streaming']);
});
