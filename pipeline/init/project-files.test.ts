import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeProjectFiles } from './project-files.ts';
import type { FirstBaseline } from './workflows.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-written-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeConfiguration(models: Readonly<Record<string, string>>, accepted: FirstBaseline | null = null) {
  const facts = { baseUrl: 'http://127.0.0.1:1/v1', keyVariable: null, dialect: null, start: null };
  const installation = { install: null, command: 'npx assay' };
  writeProjectFiles(
    folder,
    { ...facts, findings: { claim: ['chat'], models }, workflow: 'none', installation, accepted },
    'replace',
  );
  return JSON.parse(readFileSync(join(folder, 'assay.config.json'), 'utf8')).model;
}

test('a path that is the model of several roles is written once', () => {
  const path = '/models/tiny.gguf';
  expect(writeConfiguration({ chat: path, completion: path })).toBe(path);
});

test.for([
  { chat: 'tiny-1', completion: 'tiny-1' },
  { chat: '/models/tiny.gguf' },
  { chat: '/models/tiny.gguf', completion: '/models/base.gguf' },
  { chat: '/models/a=b.gguf', completion: '/models/a=b.gguf' },
])('other models are written by role: %o', (models) => {
  expect(writeConfiguration(models)).toEqual(models);
});

test('a baseline of the first day is named in the configuration', () => {
  writeConfiguration({}, { path: 'assay-baseline.json', until: '2027-02-22' });
  const configuration = JSON.parse(readFileSync(join(folder, 'assay.config.json'), 'utf8'));
  expect(configuration.baseline).toBe('assay-baseline.json');
});

test.each([
  ['a missing file', 'known.json'],
  ['a folder', 'known'],
  ['the empty path', ''],
  ['a path through a file', 'assay.config.json/known'],
])('a baseline that is %s is not kept', (_, baseline) => {
  mkdirSync(join(folder, 'known'));
  writeFileSync(join(folder, 'assay.config.json'), JSON.stringify({ format: 1, baseline, allow: ['audio'] }));
  writeConfiguration({});
  const written = JSON.parse(readFileSync(join(folder, 'assay.config.json'), 'utf8'));
  expect(written).toMatchObject({ allow: ['audio'] });
  expect(written).not.toHaveProperty('baseline');
});
