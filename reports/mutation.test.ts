import { expect, test } from 'vitest';
import { mutationSummary } from './mutation.ts';
import { sampleProof } from './testing/sample.ts';

test('the summary writes large numbers with thousands separators', () => {
  const proof = { ...sampleProof(), mutants: 12_000, killed: 11_999, benign: 1000 };
  const lines = mutationSummary(proof, 'cassette');
  expect(lines.at(-2)).toMatch(/^11,999 of 12,000 mutants killed, 1 survived, .*; 1,000 equivalent mutants/);
});

test('the summary counts an equivalent mutant once, however many requirements fail on it', () => {
  const accused = ['a.b.c', 'd.e.f'].map((requirement) => ({ requirement, change: 'x', why: 'y' }));
  const lines = mutationSummary({ ...sampleProof(), benign: 2, accused }, 'cassette');
  expect(lines.filter((line) => line.startsWith('failed '))).toHaveLength(2);
  expect(lines.at(-2)).toContain('2 equivalent mutants, 1 of which failed');
});
