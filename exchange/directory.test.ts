import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectory } from './directory.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a directory is created with its parents', () => {
  const deep = join(folder, 'a/b/c');
  makeDirectory(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
});

test('an existing directory keeps its files', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  makeDirectory(folder);
  expect(existsSync(file)).toBe(true);
});

test('creating a directory fails if a file is in the way', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(file)).toThrow('EEXIST');
  expect(() => makeDirectory(join(file, 'below'))).toThrow(/EEXIST|ENOTDIR/);
});

test.skipIf(!existsSync('/proc/self'))('creating a directory fails where the system creates none', () => {
  expect(() => makeDirectory('/proc/assay/no/such')).toThrow('ENOENT');
});

test('creating a directory fails if the working directory was removed', () => {
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
