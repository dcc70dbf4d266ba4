// An interrupted first run of `assay init` judges too little for a baseline.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { recordingDir } from '../exchange/cassette/folder.ts';
import { serveReference } from '../reference/service.ts';
import { startHere } from './testing/run-assay.ts';

/** Milliseconds until a condition that never holds fails a test, and between two looks at it. */
const WAITING = { timeout: 30_000, interval: 10 };

test('an init that is interrupted in its first run writes no baseline, and exits as run does', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-init-interrupt-'));
  const reference = await serveReference();
  const init = startHere(['init', '--base-url', reference.url, '--workflow', 'none'], { cwd });
  try {
    await vi.waitUntil(() => {
      expect(init.isRunning(), 'it ended before its first run').toBe(true);
      return existsSync(recordingDir(join(cwd, 'assay-report/cassette')));
    }, WAITING);
    const { printed } = init;
    expect(await init.stop('SIGINT'), printed.stdout).toBe(2);
    expect(printed.stdout).toContain('interrupted: no baseline was written');
    expect(existsSync(join(cwd, 'assay-baseline.json'))).toBe(false);
    expect(JSON.parse(readFileSync(join(cwd, 'assay.config.json'), 'utf8'))).not.toHaveProperty('baseline');
  } finally {
    await init.stop('SIGINT');
    await reference.close();
    rmSync(cwd, { recursive: true });
  }
});
