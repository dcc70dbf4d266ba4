import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ExpectedEvidenceFile } from '../drive/scenario/shown-by-scenario.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { createAjv } from '../schemas/index.ts';
import { catalogue } from './index.ts';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
// as: the first test validates it against its schema
const file = JSON.parse(readText('expected-evidence.json')) as ExpectedEvidenceFile;

test('the list of expected evidence matches its schema', () => {
  const validate = createAjv().compile(JSON.parse(readText('expected-evidence.schema.json')));
  expect(validate(file) ? [] : validate.errors).toEqual([]);
  // A group without scenarios is invalid.
  expect(validate({ ...file, groups: [{ shows: ['x'] }] })).toBe(false);
});

test('the list expects no requirement twice', () => {
  const listed = file.groups.flatMap(({ shows }) => shows);
  expect(new Set(listed).size).toBe(listed.length);
});

test('the list names scenarios, requirements and choices that exist', async () => {
  const all = await catalogue();
  const ids = new Set([...requirementsOf(all).keys(), ...all.choices.map(({ id }) => id)]);
  const groups = [...file.groups, ...file.others];
  expect(groups.flatMap(({ shows }) => shows).filter((id) => !ids.has(id))).toEqual([]);
  const scenarios = new Set(all.scenarios.map(({ name }) => name));
  expect(groups.flatMap((group) => group.scenarios).filter((name) => !scenarios.has(name))).toEqual([]);
});
