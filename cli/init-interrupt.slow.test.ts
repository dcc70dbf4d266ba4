// An interrupted first run of `assay init` judges too little for a baseline.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recordingDir } from '../exchange/cassette/folder.ts';
import { serveReference } from '../reference/service.ts';
import { launchAssay } from './testing/run-assay.ts';

test('an init that is interrupted in its first run writes no baseline, and exits as run does', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-init-interrupt-'));
  const reference = await serveReference();
  const child = launchAssay(['init', '--base-url', reference.url, '--workflow', 'none'], { cwd });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  try {
    while (!existsSync(recordingDir(join(cwd, 'assay-report/cassette')))) {
      expect(child.exitCode, 'it ended before its first run').toBeNull();
      await sleep(20);
    }
    child.kill('SIGINT');
    expect(await ended, stdout).toBe(2);
    expect(stdout).toContain('interrupted: no baseline was written');
    expect(existsSync(join(cwd, 'assay-baseline.json'))).toBe(false);
    expect(JSON.parse(readFileSync(join(cwd, 'assay.config.json'), 'utf8'))).not.toHaveProperty('baseline');
  } finally {
    child.kill('SIGKILL');
    await ended;
    await reference.close();
    rmSync(cwd, { recursive: true });
  }
});
