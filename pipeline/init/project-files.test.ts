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

function writeConfiguration(
  models: Readonly<Record<string, string>>,
  workflow: 'github' | 'none' = 'none',
  accepted: FirstBaseline | null = null,
) {
  const facts = { baseUrl: 'http://127.0.0.1:1/v1', keyVariable: null, dialect: null, start: null };
  const installation = { install: null, command: 'npx assay' };
  writeProjectFiles(
    folder,
    { ...facts, findings: { claim: ['chat'], models }, workflow, installation, accepted },
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

test('the GitHub workflow keeps the HTML report as an artifact', () => {
  writeConfiguration({}, 'github');
  const workflow = readFileSync(join(folder, '.github/workflows/assay.yml'), 'utf8');
  expect(workflow).toMatch(/--report \S*\bhtml\b/);
  expect(workflow).toContain('path: assay-report\n');
});

const FIRST_BASELINE: FirstBaseline = { path: 'assay-baseline.json', until: '2027-02-22' };

test('a baseline of the first day is named in the configuration', () => {
  writeConfiguration({}, 'none', FIRST_BASELINE);
  const configuration = JSON.parse(readFileSync(join(folder, 'assay.config.json'), 'utf8'));
  expect(configuration.baseline).toBe('assay-baseline.json');
});

test('the workflow says what makes the gate strict only if there is a baseline of the first day', () => {
  const readWorkflow = () => readFileSync(join(folder, '.github/workflows/assay.yml'), 'utf8');
  writeConfiguration({}, 'github');
  expect(readWorkflow()).not.toContain('first day');
  writeConfiguration({}, 'github', FIRST_BASELINE);
  expect(readWorkflow()).toMatch(
    /# assay-baseline\.json accepts what failed on the first day, until 2027-02-22;.*\n +# .* --strict-baseline .*\n +# .* without "baseline" in assay\.config\.json.*\n +# .* --fail-on should .*\n +- run: npx assay run/,
  );
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
