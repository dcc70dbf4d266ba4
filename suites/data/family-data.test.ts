import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAjv } from '../../schemas/index.ts';
import { materials } from '../makers.ts';
import { findDataFiles, readFamilyData, SUITES } from './family-data.ts';
import { requestFiles } from './requests.ts';

function read(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

test.each([
  ['exclusions', 6],
  ['resources', 6],
  ['states', 6],
  ['scenarios', 3],
])('every %s.json matches its schema', (name, minimum) => {
  const validate = createAjv().compile(read(join(SUITES, `data/${name}.schema.json`)));
  const files = findDataFiles(`${name}.json`);
  expect(files.length).toBeGreaterThanOrEqual(minimum);
  expect(files.flatMap((file) => (validate(read(file)) ? [] : [[file, validate.errors]]))).toEqual([]);
});

test('equivalent mutants match their schema', () => {
  const validate = createAjv({ ajv: { strict: false } })
    .addSchema(read(join(SUITES, 'rows/rows.schema.json')), 'rows.schema.json')
    .compile(read(join(SUITES, 'rows/equivalent-mutants.schema.json')));
  const files = findDataFiles('equivalent-mutants.json');
  expect(files.length).toBeGreaterThan(3);
  expect(files.flatMap((file) => (validate(read(file)) ? [] : [[file, validate.errors]]))).toEqual([]);
});

test('the constant parts of requests match their schema', () => {
  const validate = createAjv().compile(read(join(SUITES, 'data/requests.schema.json')));
  const files = requestFiles();
  expect(files.length).toBeGreaterThan(5);
  expect(files.flatMap((file) => (validate(read(file)) ? [] : [[file, validate.errors]]))).toEqual([]);
});

test('each state of a transition is a state of its machine', () => {
  const unknownStates = readFamilyData().stateMachines.flatMap(({ states, transitions }) =>
    transitions.flat().filter((state) => state !== null && !states.includes(state)),
  );
  expect(unknownStates).toEqual([]);
});

test('the makers, sequences and files that scenarios name exist', () => {
  const unknownNames = findDataFiles('scenarios.json').flatMap((path) => {
    const file = read(path);
    const named = { make: materials.makers, do: file.sequences ?? {}, file: materials.files };
    const missing: string[] = [];
    JSON.stringify(file, (key, value) => {
      if (typeof value !== 'string') return value;
      const [, kind = key, name = value] = /^\{(file|url) ([^}]+)\}$/.exec(value) ?? [];
      const known = named[kind === 'url' ? 'file' : (kind as keyof typeof named)]; // as: other keys have none
      if (known !== undefined && !Object.hasOwn(known, name)) missing.push(`${path}: ${value}`);
      return value;
    });
    return missing;
  });
  expect(unknownNames).toEqual([]);
});
