import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMissingDependency } from './repository.ts';

let above = '';
let folder = '';
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'assay-repository-'));
  folder = join(above, 'project');
  mkdirSync(folder);
  for (const place of [above, folder]) writeFileSync(join(place, 'assay.tgz'), '');
});
afterEach(() => rmSync(above, { recursive: true }));

test.each(['file:../assay.tgz', '../assay.tgz', 'link:../assay'])(
  'a checkout lacks %s, with and without git',
  (spec) => {
    const path = spec.replace(/^\w+:/, '');
    expect(findMissingDependency(folder, spec)).toEqual({ path, why: 'outside' });
    execFileSync('git', ['init', '-q'], { cwd: folder });
    expect(findMissingDependency(folder, spec)).toEqual({ path, why: 'outside' });
  },
);

test('a checkout lacks a file of the folder only if git does not track it', () => {
  expect(findMissingDependency(folder, 'file:assay.tgz')).toBeNull();
  execFileSync('git', ['init', '-q'], { cwd: folder });
  expect(findMissingDependency(folder, 'file:assay.tgz')).toEqual({ path: 'assay.tgz', why: 'untracked' });
  execFileSync('git', ['add', 'assay.tgz'], { cwd: folder });
  expect(findMissingDependency(folder, 'file:assay.tgz')).toBeNull();
  expect(findMissingDependency(folder, './assay.tgz')).toBeNull();
});

test.each(['^0.1.0', 'latest', 'https://example.test/assay.tgz', 'git+https://example.test/assay.git'])(
  'the dependency %s is not a local file, so no checkout lacks it',
  (spec) => {
    expect(findMissingDependency(folder, spec)).toBeNull();
  },
);
