// Only a separate process can receive the signals of a terminal.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { isNote } from '../exchange/trace.ts';
import { serveReference } from '../reference/service.ts';
import { listFilesOnTarget, waitForFile } from './testing/files-on-target.ts';
import { launchAssay } from './testing/run-assay.ts';

test.for(['SIGINT', 'SIGHUP'] as const)(
  'a run that gets %s deletes what it created, keeps what it recorded, and says that it was interrupted',
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-signal-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const reference = await serveReference();
    onTestFinished(() => reference.close());
    const flags = ['--base-url', reference.url, '--claim', 'files', '--rate-limit', '20'];
    const child = launchAssay(['run', ...flags, '--report-dir', folder]);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const ended = once(child, 'close');
    try {
      await waitForFile(reference.url, () => child.exitCode === null);
      child.kill(signal);
      expect(await ended).toEqual([2, null]);
      expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
        stopReason: 'interrupted',
      });
      expect(stdout).toContain('the run was interrupted');
      expect(await listFilesOnTarget(reference.url)).toEqual([]);
      const { items } = await readTrace(join(folder, 'cassette'));
      const calls = items.flatMap((item) => (isNote(item) ? [] : [item.request]));
      expect(calls).toContainEqual(expect.objectContaining({ method: 'POST', target: '/v1/files' }));
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  },
);
