import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from './documents.ts';

/** Files that a clone does not have, or that take long to copy. */
const NOT_COPIED = new Set(['node_modules', 'dist', '.compiled', '.git', 'assay-report']);

/** The caller removes the folder that this returns. */
export function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'assay-contributing-'));
  for (const name of readdirSync(ROOT))
    if (!NOT_COPIED.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

export function runInCopy(copy: string, line: string): string {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NO_COLOR: '1',
    ASSAY_REPORT: 'json',
  };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: copy, encoding: 'utf8', env });
  expect(status, `${line}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}
