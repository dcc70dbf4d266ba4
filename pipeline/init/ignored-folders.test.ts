import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ignoreReportFolders } from './ignored-folders.ts';

const ALL = 'assay-report/\nassay-again/\nassay-client/\nassay-watch/\n';
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-ignored-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const readIgnoreFile = (below = '') => readFileSync(join(folder, below, '.gitignore'), 'utf8');

test('outside a repository nothing is written', () => {
  expect(ignoreReportFolders(folder)).toBeNull();
  expect(() => readIgnoreFile()).toThrow('ENOENT');
});

test('in a repository, or in a folder of it, the file is written once', () => {
  mkdirSync(join(folder, '.git'));
  mkdirSync(join(folder, 'packages/api'), { recursive: true });
  expect([ignoreReportFolders(folder), readIgnoreFile()]).toEqual(['added', ALL]);
  expect([ignoreReportFolders(folder), readIgnoreFile()]).toEqual(['present', ALL]);
  const below = join(folder, 'packages/api');
  expect([ignoreReportFolders(below), readIgnoreFile('packages/api')]).toEqual(['added', ALL]);
});

test.each([
  ['node_modules', `node_modules\n${ALL}`],
  ['node_modules\n', `node_modules\n${ALL}`],
  ['', ALL],
  ['dist\r\n/assay-report\r\n', 'dist\r\n/assay-report\r\nassay-again/\r\nassay-client/\r\nassay-watch/\r\n'],
  ['!assay-report/\nassay-again\n', '!assay-report/\nassay-again\nassay-client/\nassay-watch/\n'],
])('a file with %j is completed', (before, after) => {
  writeFileSync(join(folder, '.gitignore'), before);
  expect([ignoreReportFolders(folder), readIgnoreFile()]).toEqual(['added', after]);
});

test.each([ALL, 'assay-*/\n'])('a file that names them all is unchanged: %j', (before) => {
  writeFileSync(join(folder, '.gitignore'), before);
  expect([ignoreReportFolders(folder), readIgnoreFile()]).toEqual(['present', before]);
});
