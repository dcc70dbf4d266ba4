import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { assay } from './testing/assay.ts';

test('a dry run counts what a run would cost, and sends nothing', async () => {
  let asked = 0;
  const target = createServer((_, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const { port } = target.address() as AddressInfo; // as: a TCP server that listens has one
  const only = ['file:*', 'chat.tools.*'].flatMap((glob) => ['--only', glob]);
  const flags = ['--claim', 'files,chat', '--model', 'chat=mine', '--dry-run', ...only];
  const { code, stdout } = await assay(['run', '--base-url', `http://127.0.0.1:${port}`, ...flags]);
  target.close();
  expect([code, asked]).toEqual([0, 0]);
  expect(stdout).toMatch(/^family +scenarios +requests +uploads +tokens +cost classes +would create$/m);
  const row = (family: string) => new RegExp(`^${family} +(.*)$`, 'm').exec(stdout)?.[1];
  expect(row('files')).toMatch(
    /^\d+ scenarios? +\d+ requests +\d+ uploads \(.* k?B\) +free +createFile \d+$/,
  );
  expect(row('chat')).toMatch(/^\d+ scenarios? +\d+ requests +[\d,]+ tokens +tokens$/);
  expect(row('in all')).toMatch(/ requests .* tokens$/);
  expect(stdout).toContain(`nothing was sent to http://127.0.0.1:${port}/v1`);
});
