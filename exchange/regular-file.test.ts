import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRegularFile } from './regular-file.ts';

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
