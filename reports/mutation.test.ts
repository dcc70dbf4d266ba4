import { expect, test } from 'vitest';
import { mutationStatusOf, mutationSummary } from './mutation.ts';
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

test('the status of a requirement counts its mutants, and those killed by kind', () => {
  const proof = sampleProof();
  const [survivor] = proof.survived;
  const statusOf = mutationStatusOf({ ...proof, exceptions: [] });
  expect(statusOf(survivor?.requirement ?? '')?.words).toMatch(
    /^0 of 1 mutant \(a trace broken on purpose\) killed · survived: /,
  );
  expect(statusOf(Object.keys(proof.requirements)[1] ?? '')?.words).toBe(
    '6 of 6 mutants (traces broken on purpose) killed: null 3, wrong type 2, one too many 1',
  );
});

test('a requirement without any mutant survives or has exceptions, unless the proof does not know it', () => {
  const why = 'no mutation breaks the requirement';
  const survived = [{ requirement: 'a.b.c', mutant: '(none)', why }];
  const exceptions = [{ requirement: 'd.e.f', kind: 'null', reason: 'never sent', expires: null }];
  const statusOf = mutationStatusOf({ ...sampleProof(), survived, exceptions });
  expect(statusOf('a.b.c')).toMatchObject({
    word: 'survived',
    words: expect.stringMatching(/ killed · survived: \(none\), no mutation breaks the requirement$/),
  });
  expect(statusOf('d.e.f')).toMatchObject({
    word: 'with exceptions',
    words: expect.stringMatching(/ killed · exempt: null, never sent$/),
  });
  expect(statusOf('g.h.i')).toEqual({ word: 'not proved', words: 'not proved: newer than the proof' });
});
