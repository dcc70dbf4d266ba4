import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRegularFile } from './regular-file.ts';

test.skipIf(process.platform === 'win32')('a pipe is rejected, and does not block', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-pipe-'));
  try {
    execFileSync('mkfifo', [join(folder, 'report.json')]);
    expect(() => readRegularFile(join(folder, 'report.json'))).toThrow('is a pipe or a special file');
    expect(() => readRegularFile('/dev/zero')).toThrow('is a pipe or a special file');
    expect(() => readRegularFile(folder)).toThrow('EISDIR');
    expect(() => readRegularFile(join(folder, 'absent'))).toThrow('ENOENT');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
