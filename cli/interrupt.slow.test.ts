import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { startInProcess } from './testing/run-assay.ts';

/** Milliseconds: how long a test waits for a condition, and the pause between two checks of it. */
const WAITING = { timeout: 30_000, interval: 10 };

let folder: string;
let reference: Reference;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-interrupt-'));
  reference = await serveReference();
});
afterEach(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});

async function filesOnTarget(): Promise<readonly unknown[]> {
  return ((await (await fetch(`${reference.url}/files`)).json()) as { data: unknown[] }).data; // as: a list of the reference
}

const command = () => [
  ...['run', '--base-url', reference.url, '--claim', 'files', '--rate-limit', '20'],
  ...['--report-dir', folder],
];

async function expectCleanInterruption(stdout: string): Promise<void> {
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  expect(report.stopReason).toBe('interrupted');
  expect(report.cost.requests).toBeGreaterThan(0);
  expect(stdout).toContain('the run was interrupted');
  expect(await filesOnTarget()).toEqual([]);
}

test.for(['SIGTERM', 'SIGHUP'] as const)(
  'a run that gets %s cleans up, keeps what it recorded, and says so',
  async (signal) => {
    const run = startInProcess(command());
    try {
      await vi.waitUntil(async () => {
        expect(run.isRunning(), 'it ended before it made a file').toBe(true);
        return (await filesOnTarget()).length > 0;
      }, WAITING);
      expect(await run.stop(signal)).toBe(2);
      await expectCleanInterruption(run.printed.stdout);
    } finally {
      await run.stop(signal);
    }
  },
);
