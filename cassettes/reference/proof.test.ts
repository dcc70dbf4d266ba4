import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isProofClean, type MutationReport } from '../../proof/mutation-report.ts';
import { createAjv } from '../../schemas/index.ts';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

describe.each(['proof.json', 'client-proof.json'])('the committed %s', (name) => {
  const report = JSON.parse(readText(name)) as MutationReport; // as: the first test validates it against its schema

  test('matches its schema', () => {
    const validate = createAjv().compile(JSON.parse(readText('proof.schema.json')));
    expect(validate(report) ? [] : validate.errors).toEqual([]);
  });

  test('reports every mutant as killed, no requirement accused by an equivalent one, and no stale exception', () => {
    expect(isProofClean(report)).toBe(true);
    expect(report.killed).toBe(report.mutants);
    expect(report.mutants).toBeGreaterThan(0);
  });

  test('has totals of mutants that are the sums of its rows', () => {
    const rows = Object.values(report.requirements);
    expect(sum(rows.map(({ mutants }) => mutants))).toBe(report.mutants);
    expect(sum(rows.map(({ killed }) => killed))).toBe(report.killed);
  });

  test('counts at least one killed mutant of each requirement, by kind', () => {
    const rows = Object.values(report.requirements);
    expect(rows.filter(({ killed, by }) => killed === 0 || sum(Object.values(by)) !== killed)).toEqual([]);
  });
});
