import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isProofClean, type MutationReport } from '../../proof/mutation-report.ts';
import { createAjv } from '../../schemas/index.ts';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

// as: the first test validates it against its schema
const report = JSON.parse(readText('proof.json')) as MutationReport & { format: number };

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

test('the committed proof matches its schema', () => {
  const validate = createAjv().compile(JSON.parse(readText('proof.schema.json')));
  expect(validate(report) ? [] : validate.errors).toEqual([]);
});

test('every mutant is killed, and no equivalent mutant fails', () => {
  expect(isProofClean(report)).toBe(true);
  expect(report.killed).toBe(report.mutants);
  expect(report.mutants).toBeGreaterThan(0);
});

test('the totals are the sums of the rows', () => {
  const rows = Object.values(report.requirements);
  expect(sum(rows.map(({ mutants }) => mutants))).toBe(report.mutants);
  expect(sum(rows.map(({ killed }) => killed))).toBe(report.killed);
});

test('each requirement with mutants has killed ones, counted by kind', () => {
  const rows = Object.values(report.requirements);
  expect(rows.filter(({ killed, by }) => killed === 0 || sum(Object.values(by)) !== killed)).toEqual([]);
});
