import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isSound, type Proof } from '../../judge/proof/proof.ts';
import { newAjv } from '../../schemas/index.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

// as: the first test holds it to its schema
const proof = JSON.parse(read('proof.json')) as Proof & { format: number };

test('the committed proof has the form that its schema describes', () => {
  const validate = newAjv().compile(JSON.parse(read('proof.schema.json')));
  expect(validate(proof) ? [] : validate.errors).toEqual([]);
});

test('it is a proof: every mutant is killed, nothing benign is accused, and the figures are those of its rows', () => {
  expect(isSound(proof)).toBe(true);
  const rows = Object.values(proof.requirements);
  const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);
  expect(proof.killed).toBe(proof.mutants);
  expect(sum(rows.map(({ mutants }) => mutants))).toBe(proof.mutants);
  expect(rows.filter(({ killed, by }) => killed === 0 || sum(Object.values(by)) !== killed)).toEqual([]);
});
