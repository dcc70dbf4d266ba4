import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { launchAssay } from './testing/run-assay.ts';

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a run that gets %s cleans up, keeps what it has, and says so',
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-interrupt-'));
    const reference = await serveReference();
    const list = async () =>
      ((await (await fetch(`${reference.url}/files`)).json()) as { data: unknown[] }).data; // as: a list of the reference
    const flags = ['--claim', 'files', '--rate-limit', '20', '--report-dir', folder];
    const child = launchAssay(['run', '--base-url', reference.url, ...flags]);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    try {
      while ((await list()).length === 0) expect(child.exitCode, 'it ended before it made a file').toBeNull();
      child.kill(signal);
      expect(await ended).toBe(2);
      const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
      expect(report.stopReason).toBe('interrupted');
      expect(report.cost.requests).toBeGreaterThan(0);
      expect(stdout).toContain('the run was interrupted');
      expect(await list()).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      await ended;
      await reference.close();
      rmSync(folder, { recursive: true });
    }
  },
);
