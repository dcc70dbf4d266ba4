import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectory } from './directory.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('creates what is missing, level by level, and leaves what exists', () => {
  const deep = join(folder, 'a/b/c');
  makeDirectory(deep);
  makeDirectory(deep);
  expect(existsSync(deep)).toBe(true);
});

test('fails if a file is in the way', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(file)).toThrow('EEXIST');
  expect(() => makeDirectory(join(file, 'below'))).toThrow(/EEXIST|ENOTDIR/);
});

test.skipIf(!existsSync('/proc/self'))('fails if no folder can be created', () => {
  expect(() => makeDirectory('/proc/assay/no/such')).toThrow('ENOENT');
});

test('fails if the working folder was removed', () => {
  const before = process.cwd();
  const removed = mkdtempSync(join(folder, 'removed-'));
  process.chdir(removed);
  rmSync(removed, { recursive: true });
  try {
    expect(() => makeDirectory('a/b')).toThrow('ENOENT');
  } finally {
    process.chdir(before);
  }
});
