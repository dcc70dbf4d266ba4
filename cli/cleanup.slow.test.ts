// A killed run leaves its ledger; the next run sets it aside, and cleanup finishes the work.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { launchAssay, runAssay } from './testing/run-assay.ts';

/** Milliseconds: how long a test waits for a condition, and the pause between two checks of it. */
const WAITING = { timeout: 30_000, interval: 10 };

const folder = mkdtempSync(join(tmpdir(), 'assay-cleanup-'));
let reference: Reference;

beforeAll(async () => {
  reference = await serveReference();
});

afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});

async function filesOnTarget(): Promise<unknown[]> {
  const answer = await fetch(`${reference.url}/files`);
  return ((await answer.json()) as { data: unknown[] }).data; // as: a list of the reference
}

test('the next run sets the files of a killed run aside, and cleanup removes what that run left', async () => {
  const flags = [
    'run',
    '--base-url',
    reference.url,
    '--claim',
    'files',
    '--only',
    'files.*',
    '--report-dir',
    folder,
  ];
  const killed = launchAssay([...flags, '--rate-limit', '10']);
  const over = once(killed, 'exit');
  try {
    await vi.waitUntil(async () => {
      expect(killed.exitCode, 'it ended before it made a file').toBeNull();
      return (await filesOnTarget()).length > 0;
    }, WAITING);
  } finally {
    killed.kill('SIGKILL');
    await over;
  }
  const left = (await filesOnTarget()).length;
  expect(left).toBeGreaterThan(0);

  const next = await runAssay(flags);
  const aside = join(folder, readdirSync(folder).find((name) => /^ledger-.*\.jsonl$/.test(name)) ?? '');
  expect(next.stderr).toContain(`npx assay cleanup --ledger ${aside}`);
  expect(await filesOnTarget()).toHaveLength(left);

  const swept = await runAssay(['cleanup', '--ledger', aside, '--base-url', reference.url]);
  expect(swept.stdout).toMatch(/objects? gone from http/);
  expect(swept.code).toBe(0);
  expect(await filesOnTarget()).toEqual([]);
  expect(existsSync(aside)).toBe(true);
});

test('a file that is not a ledger is rejected', async () => {
  const { code, stderr } = await runAssay(['cleanup', '--ledger', 'package.json']);
  expect(code).toBe(2);
  expect(stderr).toContain('package.json is not the ledger of a run');
});
