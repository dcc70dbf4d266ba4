// SIGTERM is simulated here; interrupt.crash.test.ts sends signals of a terminal to a separate process.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { isNote } from '../exchange/trace.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { listFilesOnTarget, waitForFile } from './testing/files-on-target.ts';
import { startInProcess } from './testing/run-assay.ts';

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

test('a run that gets SIGTERM deletes what it created, keeps what it recorded, and says that it was interrupted', async () => {
  const flags = ['--base-url', reference.url, '--claim', 'files', '--rate-limit', '20'];
  const run = startInProcess(['run', ...flags, '--report-dir', folder]);
  try {
    await waitForFile(reference.url, run.isRunning);
    expect(await run.stop('SIGTERM')).toBe(2);
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
    expect(report.stopReason).toBe('interrupted');
    const { items } = await readTrace(join(folder, 'cassette'));
    const exchanges = items.filter((item) => !isNote(item));
    expect(exchanges.length).toBeGreaterThan(0);
    expect(report.cost.requests).toBe(exchanges.length);
    expect(run.printed.stdout).toContain('the run was interrupted');
    expect(await listFilesOnTarget(reference.url)).toEqual([]);
  } finally {
    await run.stop('SIGTERM');
  }
});
