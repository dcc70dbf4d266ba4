import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { launchAssay, runAssay } from './testing/run-assay.ts';

const WAIT_OPTIONS = { timeout: 30_000, interval: 10 };

test('a dry run counts what a run would cost, and sends nothing', async () => {
  let received = 0;
  const target = createServer((_, response) => {
    received += 1;
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const { port } = target.address() as AddressInfo; // as: a listening TCP server has a port
  const only = ['file:*', 'chat.tools.*'].flatMap((glob) => ['--only', glob]);
  const flags = ['--claim', 'files,chat', '--model', 'chat=mine', '--dry-run', ...only];
  const { code, stdout } = await runAssay(['run', '--base-url', `http://127.0.0.1:${port}`, ...flags]);
  target.close();
  expect([code, received]).toEqual([0, 0]);
  expect(stdout).toMatch(/^family +scenarios +requests +uploads +tokens +cost classes +would create$/m);
  const findRow = (family: string) => new RegExp(`^${family} +(.*)$`, 'm').exec(stdout)?.[1];
  expect(findRow('files')).toMatch(
    /^\d+ scenarios? +\d+ requests +\d+ uploads \(.* k?B\) +free +createFile \d+$/,
  );
  expect(findRow('chat')).toMatch(/^\d+ scenarios? +\d+ requests +[\d,]+ tokens +tokens$/);
  expect(findRow('in all')).toMatch(/ requests .* tokens$/);
  expect(stdout).toContain(`nothing was sent to http://127.0.0.1:${port}/v1`);
});

test('a dry run that Ctrl-C ends says that its figures are incomplete, and leaves no folder', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'assay-dry-run-'));
  const flags = ['--base-url', 'http://127.0.0.1:9', '--claim', 'auto', '--dry-run'];
  const child = launchAssay(['run', ...flags], { env: { TMPDIR: temporary } });
  const exitEvent = once(child, 'exit');
  try {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const listFolders = () => readdirSync(temporary).filter((name) => name.startsWith('assay-rehearsal-'));
    // Before the dry run begins, there is nothing to shut down cleanly.
    await vi.waitUntil(() => {
      expect(child.exitCode, stderr).toBeNull();
      return listFolders().some((name) => existsSync(join(temporary, name, 'ledger.jsonl')));
    }, WAIT_OPTIONS);
    child.kill('SIGINT');
    const closed = once(child, 'close');
    expect(await exitEvent).toEqual([2, null]);
    await closed;
    expect(stderr).toContain('These figures are incomplete:\nthe dry run stopped: The run was interrupted.');
    expect(stdout).toMatch(/^\d+ scenarios of all families /m);
    expect(listFolders()).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await exitEvent;
    rmSync(temporary, { recursive: true });
  }
});
