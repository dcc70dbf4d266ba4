import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isProofClean, type MutationReport } from '../../proof/mutation-report.ts';
import { createAjv } from '../../schemas/index.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

// as: the first test validates it against its schema
const report = JSON.parse(read('proof.json')) as MutationReport & { format: number };

test('the committed proof matches its schema', () => {
  const validate = createAjv().compile(JSON.parse(read('proof.schema.json')));
  expect(validate(report) ? [] : validate.errors).toEqual([]);
});

test('every mutant is killed, and no equivalent mutant fails', () => {
  expect(isProofClean(report)).toBe(true);
  expect(report.killed).toBe(report.mutants);
});

test('the totals are the sums of the rows', () => {
  const rows = Object.values(report.requirements);
  const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);
  expect(sum(rows.map(({ mutants }) => mutants))).toBe(report.mutants);
  expect(sum(rows.map(({ killed }) => killed))).toBe(report.killed);
  expect(rows.filter(({ killed, by }) => killed === 0 || sum(Object.values(by)) !== killed)).toEqual([]);
});
