import { expect, test } from 'vitest';
import { committedMutationScore, mutationScoreOf } from './mutation-score.ts';

test('the score has the counts of the proof, and counts an equivalent mutant that breaks two requirements once', () => {
  const row = { mutants: 1, killed: 1, by: {} };
  const proof = {
    mutants: 5,
    killed: 4,
    survived: [{ requirement: 'a.b.c', mutant: 'x', why: 'y' }],
    benign: 7,
    accused: ['a.b.c', 'd.e.f'].map((requirement) => ({ requirement, change: 'x', why: 'y' })),
    requirements: { 'a.b.c': row, 'd.e.f': row },
  };
  expect(mutationScoreOf(proof)).toEqual({
    mutants: 5,
    killed: 4,
    survived: 1,
    benign: 7,
    accused: 1,
    requirements: 2,
  });
});

test('the committed proof is read', () => {
  expect(committedMutationScore()?.mutants).toBeGreaterThan(0);
});
