import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { recordingDir } from '../exchange/cassette/folder.ts';
import { serveReference } from '../reference/service.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay, startInProcess } from './testing/run-assay.ts';

const WAITING = { timeout: 30_000, interval: 10 };

test('an init that is interrupted during its first run writes no baseline and exits with 2', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-init-interrupt-'));
  const reference = await serveReference();
  const init = startInProcess(['init', '--base-url', reference.url, '--workflow', 'none'], { cwd });
  try {
    await vi.waitUntil(() => {
      expect(init.isRunning(), 'init ended before its first run').toBe(true);
      return existsSync(recordingDir(join(cwd, 'assay-report/cassette')));
    }, WAITING);
    const { printed } = init;
    expect(await init.stop('SIGINT'), printed.stdout).toBe(2);
    expect(printed.stdout).toContain(
      'no baseline was written, because the run was interrupted; npx assay init --force starts again',
    );
    expect(existsSync(join(cwd, 'assay-baseline.json'))).toBe(false);
    expect(JSON.parse(readFileSync(join(cwd, 'assay.config.json'), 'utf8'))).not.toHaveProperty('baseline');
  } finally {
    await init.stop('SIGINT');
    await reference.close();
    rmSync(cwd, { recursive: true });
  }
});

test('an init whose service dies during its first run writes no baseline, exits with 2 and says how to start again', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-init-death-'));
  const reference = await serveReference();
  let requests = 0;
  const dyingService = await startBreakingProxy(reference.url, [], {
    route: (target) => {
      requests += 1;
      if (requests === 300) void dyingService.close();
      return target;
    },
  });
  try {
    const { code, stdout } = await runAssay(['init', '--base-url', dyingService.url, '--workflow', 'none'], {
      cwd,
    });
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining(
        '\nno baseline was written, because the target stopped answering during the run; npx assay init --force starts again\n',
      ),
    ]);
    expect(stdout).not.toContain('--baseline-write');
    expect(existsSync(join(cwd, 'assay-baseline.json'))).toBe(false);
    // The number depends on timing and may be 0, which prints no line; all lines must give the same number.
    expect(new Set(stdout.match(/\d+ MUSTs? could not be decided/g)).size).toBeLessThan(2);
  } finally {
    await dyingService.close().catch(() => {});
    await reference.close();
    rmSync(cwd, { recursive: true });
  }
});
