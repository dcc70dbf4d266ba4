import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { recoverCassette } from '../../exchange/cassette/finish.ts';
import { decodeFiles } from '../../exchange/testing/decoded-files.ts';
import { bundle } from '../testing/bundle.ts';

const SECRET = 'key-Canary_42+abc/XYZ';
const innerPart = SECRET.slice(1, -1).toLowerCase();
const holdsSecret = (dir: string) => decodeFiles(dir).some((text) => text.includes(innerPart));

let root: string;
let program: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-between-'));
  mkdirSync(join(root, 'program'));
  program = await bundle('proxy/testing/killed-recorder-process.ts', join(root, 'program'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Returns whether the recorder had removed the secret everywhere before it was killed. */
function killRecorder(dir: string, n: number): boolean {
  const { stdout, signal } = spawnSync(process.execPath, [program, dir, SECRET, String(n)]);
  expect(signal).toBe('SIGKILL');
  return stdout.toString() === 'removed';
}

test('wherever the recorder is killed after its first write, recovery removes the secret unless the recorder already has', async () => {
  let n = 0;
  for (let isRemoved = false; !isRemoved; ) {
    n += 1;
    const dir = join(root, `c${n}`);
    isRemoved = killRecorder(dir, n);
    if (isRemoved) expect(holdsSecret(dir)).toBe(false);
    recoverCassette(dir);
    // Before the first operation, which is a write, nothing on the disk shows that there is a secret.
    expect(holdsSecret(dir), `killed before file operation ${n}`).toBe(n === 1);
    expect((await readTrace(dir)).items.length).toBeGreaterThanOrEqual(4);
  }
  // With fewer operations the recorder would be killed in too few places.
  expect(n).toBeGreaterThan(10);
});
