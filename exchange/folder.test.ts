import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from './folder.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('makes what is missing, level by level, and leaves what is there', () => {
  const deep = join(folder, 'a/b/c');
  makeFolder(deep);
  makeFolder(deep);
  expect(existsSync(deep)).toBe(true);
});

test('a file in the way is an error', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow(/EEXIST|ENOTDIR/);
});

test.skipIf(!existsSync('/proc/self'))('ends where nobody can make a folder', () => {
  expect(() => makeFolder('/proc/assay/no/such')).toThrow('ENOENT');
});
