import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { serveReference } from '../reference/service.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { listFilesOnTarget, waitForFile } from './testing/files-on-target.ts';
import { launchAssay, runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-killed-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.for([19, 41])(
  'after a run is killed at request %i, cleanup removes or names everything that it left',
  async (killedAt) => {
    const dir = join(folder, `killed-${killedAt}`);
    const reference = await serveReference();
    let requestCount = 0;
    let kill = () => {};
    const proxy = await startBreakingProxy(reference.url, [], {
      route: (target) => {
        requestCount += 1;
        if (requestCount !== killedAt) return target;
        kill();
        return null;
      },
    });
    const flags = [
      '--claim',
      'files,batches',
      '--concurrency',
      '1',
      '--allow',
      'tokens,batches',
      '--only',
      'batch:*',
      '--only',
      'file:*',
    ];
    const run = launchAssay(['run', '--base-url', proxy.url, ...flags, '--report-dir', dir]);
    const exited = once(run, 'exit');
    kill = () => run.kill('SIGKILL');
    try {
      await exited;
      expect(run.signalCode).toBe('SIGKILL');

      const { code, stdout } = await runAssay([
        'cleanup',
        '--ledger',
        join(dir, 'ledger.jsonl'),
        '--base-url',
        proxy.url,
      ]);
      const response = await fetch(`${reference.url}/batches?limit=100`);
      const { data: batches } = (await response.json()) as { data: { id: string }[] }; // as: a list of the reference
      expect(batches).not.toEqual([]);
      for (const { id } of batches)
        expect(stdout).toMatch(new RegExp(`(left|stays) on the target: ${id} of createBatch`));
      expect(await listFilesOnTarget(reference.url)).toEqual([]);
      expect(code).toBe(stdout.includes('left on the target: ') ? 1 : 0);
    } finally {
      kill();
      await Promise.all([exited, proxy.close(), reference.close()]);
    }
  },
);

test('the next run sets the files of a killed run aside, and cleanup removes what the killed run left', async () => {
  const reference = await serveReference();
  onTestFinished(() => reference.close());
  const dir = join(folder, 'set-aside');
  const flags = [
    'run',
    '--base-url',
    reference.url,
    '--claim',
    'files',
    '--only',
    'files.*',
    '--report-dir',
    dir,
  ];
  const killed = launchAssay([...flags, '--rate-limit', '10']);
  const exited = once(killed, 'exit');
  try {
    await waitForFile(reference.url, () => killed.exitCode === null);
  } finally {
    killed.kill('SIGKILL');
    await exited;
  }
  const leftCount = (await listFilesOnTarget(reference.url)).length;
  expect(leftCount).toBeGreaterThan(0);

  const next = await runAssay(flags);
  const ledger = join(dir, readdirSync(dir).find((name) => /^ledger-.*\.jsonl$/.test(name)) ?? '');
  expect(next.stderr).toContain(`npx assay cleanup --ledger ${ledger}`);
  expect(await listFilesOnTarget(reference.url)).toHaveLength(leftCount);

  const cleanup = await runAssay(['cleanup', '--ledger', ledger, '--base-url', reference.url]);
  expect(cleanup.stdout).toMatch(/objects? gone from http/);
  expect(cleanup.code).toBe(0);
  expect(await listFilesOnTarget(reference.url)).toEqual([]);
  expect(existsSync(ledger)).toBe(true);
});
