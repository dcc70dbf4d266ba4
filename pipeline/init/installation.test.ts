import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assayDependency, fetchedInstallation } from './installation.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-dependency-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a folder without a package.json names no dependency', () => {
  expect(assayDependency(folder)).toBe(null);
});

test.each(['devDependencies', 'dependencies'])('the version of assay in %s is found', (group) => {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ [group]: { assay: '^0.1.0' } }));
  expect(assayDependency(folder)).toBe('^0.1.0');
});

test('a broken package.json names no dependency', () => {
  writeFileSync(join(folder, 'package.json'), '{"devDependencies":');
  expect(assayDependency(folder)).toBe(null);
});

test('a package.json that cannot be read names no dependency', () => {
  mkdirSync(join(folder, 'package.json'));
  expect(assayDependency(folder)).toBe(null);
});

test('the shell expands nothing in the name of a fetched package', () => {
  expect(fetchedInstallation('assay@0.1.0').command).toBe('npx --yes --package=assay@0.1.0 assay');
  expect(fetchedInstallation('./$HOME `x`.tgz').command).toBe("npx --yes --package='./$HOME `x`.tgz' assay");
});
