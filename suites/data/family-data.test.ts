// The data of the families conforms to its schemas, and each state of a transition is a known state.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAjv } from '../../schemas/index.ts';
import { materials } from '../makers.ts';
import { dataFiles, familyData, filesIn, SUITES } from './family-data.ts';

function read(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

test.each([
  ['exclusions', 5],
  ['resources', 5],
  ['states', 5],
  ['scenarios', 2],
])('every %s.json matches its schema', (name, more) => {
  const fits = createAjv().compile(read(join(SUITES, `data/${name}.schema.json`)));
  const files = dataFiles(`${name}.json`);
  expect(files.length).toBeGreaterThan(more);
  expect(files.flatMap((file) => (fits(read(file)) ? [] : [[file, fits.errors]]))).toEqual([]);
});

test('equivalent mutants match their schema', () => {
  const fits = createAjv({ ajv: { strict: false } })
    .addSchema(read(join(SUITES, 'rows/rows.schema.json')), 'rows.schema.json')
    .compile(read(join(SUITES, 'rows/equivalent-mutants.schema.json')));
  const files = dataFiles('equivalent-mutants.json');
  expect(files.length).toBeGreaterThan(3);
  expect(files.flatMap((file) => (fits(read(file)) ? [] : [[file, fits.errors]]))).toEqual([]);
});

test.each(['requests'])('the %s of all families match their schema', (name) => {
  const fits = createAjv().compile(read(join(SUITES, `data/${name}.schema.json`)));
  const files = filesIn(`data/${name}`);
  expect(files.length).toBeGreaterThan(5);
  expect(files.flatMap((file) => (fits(read(file)) ? [] : [[file, fits.errors]]))).toEqual([]);
});

test('a transition goes from a state to a state', () => {
  const strays = familyData().stateMachines.flatMap(({ states, transitions }) =>
    transitions.flat().filter((state) => state !== null && !states.includes(state)),
  );
  expect(strays).toEqual([]);
});

test('the steps of scenarios name what exists', () => {
  const strays = dataFiles('scenarios.json').flatMap((path) => {
    const file = read(path);
    const named = { make: materials.makers, do: file.sequences ?? {}, file: materials.files };
    const missing: string[] = [];
    JSON.stringify(file, (key, value) => {
      if (typeof value !== 'string') return value;
      const [, kind = key, name = value] = /^\{(file|url) ([^}]+)\}$/.exec(value) ?? [];
      const known = named[kind === 'url' ? 'file' : (kind as keyof typeof named)]; // as: other keys have none
      if (known !== undefined && !(name in known)) missing.push(`${path}: ${value}`);
      return value;
    });
    return missing;
  });
  expect(strays).toEqual([]);
});
