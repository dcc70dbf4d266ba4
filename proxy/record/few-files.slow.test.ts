import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { recordExitCode, recordSummary } from '../../pipeline/proxy-sessions/record-words.ts';
import { bundle } from '../testing/bundle.ts';
import { deferred } from '../testing/deferred.ts';
import { startUpstream } from '../testing/upstream.ts';

function sendRequest(url: string): Promise<void> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (answer) => answer.resume())
      .on('error', () => {})
      .on('close', resolve);
  });
}

test.runIf(process.platform === 'linux')(
  'requests that a recorder cannot forward for lack of file descriptors are reported and fail the session',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'assay-files-'));
    const released = deferred<void>();
    const service = await startUpstream(async (req, res) => {
      if (req.url !== '/v1/first') await released.promise;
      res.end('{}');
    });
    mkdirSync(join(root, 'program'));
    const program = await bundle('proxy/testing/recorder-process.ts', join(root, 'program'));
    const command = [process.execPath, program, service.url, join(root, 'c')];
    const child = spawn('bash', ['-c', 'ulimit -n 64; exec "$0" "$@"', ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const url = String((await lines.next()).value);
    await sendRequest(`${url}/first`);
    const all = Array.from({ length: 200 }, () => sendRequest(`${url}/x`));
    // The first request to end was not forwarded, because the service holds back all others.
    await Promise.race(all);
    released.resolve();
    await Promise.all(all);
    child.kill('SIGTERM');
    const report = JSON.parse(String((await lines.next()).value));
    await exit;
    await service.close();
    rmSync(root, { recursive: true, force: true });
    expect(report.starved).toBeGreaterThan(0);
    expect(report.unreachable).toBeNull();
    expect(recordExitCode(report)).toBe(1);
    expect(recordSummary(report, 'c')).toContain('as too many files are open');
  },
);
