import { expect, test } from 'vitest';
import { mutationSummary } from './mutation.ts';
import { sampleProof } from './testing/sample.ts';

test('the summary writes large numbers with thousands separators', () => {
  const proof = { ...sampleProof(), mutants: 12_000, killed: 11_999, benign: 1000 };
  const lines = mutationSummary(proof, 'cassette');
  expect(lines.at(-2)).toMatch(/^11,999 of 12,000 mutants killed, 1 survived, .*; 1,000 equivalent mutants/);
});
