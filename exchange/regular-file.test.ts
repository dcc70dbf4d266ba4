import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFile, readRegularFile } from './regular-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-regular-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.skipIf(process.platform === 'win32')('a pipe and a device are rejected, and do not block', () => {
  const pipe = join(folder, 'report.json');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero'])
    expect(() => readRegularFile(path)).toThrow('is a pipe or a special file');
});

test("a folder and an absent file cause the system's error", () => {
  expect(() => readRegularFile(folder)).toThrow('EISDIR');
  expect(() => readRegularFile(join(folder, 'absent'))).toThrow('ENOENT');
});

test('isFile is true for a file and for a link to one, and false, without an error, for other paths', () => {
  const pathOf = (name: string) => join(folder, name);
  writeFileSync(pathOf('file'), '');
  symlinkSync(pathOf('file'), pathOf('link'));
  symlinkSync(pathOf('endless'), pathOf('endless'));
  expect(['file', 'link'].map((name) => isFile(pathOf(name)))).toEqual([true, true]);
  const others = ['', 'absent', 'file/inner', 'endless'];
  expect(others.filter((name) => isFile(pathOf(name)))).toEqual([]);
});
