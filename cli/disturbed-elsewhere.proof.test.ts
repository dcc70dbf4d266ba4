import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'));
const pathOf = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LISTING = `
for (let i = 0; i < 3; i += 1)
  await (await fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { authorization: 'Bearer toy' } })).text();`;
const client = [process.execPath, '--input-type=module', '-e', LISTING];
/** The requirement that a truncated response would break. */
const READABLE = 'listModels:answer#json';

async function recordDisturbed(name: string, ...flags: readonly string[]): Promise<void> {
  const recorder = [
    process.execPath,
    inject('main'),
    'record',
    ...flags,
    '--cassette',
    pathOf(name),
    '--',
    ...client,
  ];
  const { code, stderr } = await spawnAssay(['serve', '--disturb', pathOf('plan.json'), '--', ...recorder]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('disturbed GET /v1/models by truncated-json')]);
}

beforeAll(async () => {
  writeFileSync(pathOf('plan.json'), JSON.stringify([{ name: 'truncated-json', on: 'GET /v1/models' }]));
  await recordDisturbed('flagged', '--disturbed');
  await recordDisturbed('unflagged');
});

async function check(...words: readonly string[]) {
  const dir = mkdtempSync(pathOf('report-'));
  const { stdout } = await runAssay(['check', ...words, '--report', 'terminal,json', '--report-dir', dir]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  const failed = report.requirements.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []));
  return { failed, stdout: stdout.replaceAll(/\s+/g, ' ') };
}

const NOTICE =
  '1 answer with the header field x-assay-disturbed or x-assay-created-before was judged like any other, because any service can send it.';

test('with --disturbed the recorder marks the response, and it is not judged', async () => {
  const { failed, stdout } = await check(pathOf('flagged'));
  expect(failed).toEqual([]);
  expect(stdout).toContain('1 answer was changed by --disturb');
});

test('without --disturbed the response is judged, and the report suggests the flag, which check accepts too', async () => {
  const strict = await check(pathOf('unflagged'));
  expect(strict.failed).toContain(READABLE);
  expect(strict.stdout).toContain(NOTICE);
  expect(strict.stdout).toContain('give --disturbed');
  expect((await check(pathOf('unflagged'), '--disturbed')).failed).toEqual([]);
});

test('a HAR file of assay keeps the mark', async () => {
  await runAssay(['har', pathOf('flagged'), '--out', pathOf('flagged.har')]);
  expect((await check(pathOf('flagged.har'))).failed).toEqual([]);
});

test('a HAR file of another recorder needs the flag', async () => {
  await runAssay(['har', pathOf('flagged'), '--out', pathOf('exported.har')]);
  const others = JSON.parse(readFileSync(pathOf('exported.har'), 'utf8'), (key, value) =>
    key === '_assay' ? undefined : value,
  );
  writeFileSync(pathOf('other.har'), JSON.stringify(others));
  const strict = await check(pathOf('other.har'));
  expect(strict.failed).toContain(READABLE);
  expect(strict.stdout).toContain(NOTICE);
  expect((await check(pathOf('other.har'), '--disturbed')).failed).toEqual([]);
});

test('each of several recordings is judged by its own header', async () => {
  expect((await check(pathOf('flagged'), pathOf('flagged'))).failed).toEqual([]);
  expect((await check(pathOf('flagged'), pathOf('unflagged'))).failed).toContain(READABLE);
  expect((await check(pathOf('unflagged'), pathOf('flagged'))).failed).toContain(READABLE);
});

test('watch accepts the flag; without it, a service that marks its own mistakes hides nothing', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-assay-disturbed': 'truncated-json' });
    response.end('{"object":"list","da');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const watch = async (...flags: readonly string[]) => {
    const words = [
      '--base-url',
      `http://127.0.0.1:${port}/v1`,
      '--report-dir',
      mkdtempSync(pathOf('watch-')),
    ];
    const { code, stderr } = await runAssay(['watch', ...words, ...flags, '--', ...client]);
    return { code, output: stderr.replaceAll(/\s+/g, ' ') };
  };
  expect(await watch()).toEqual({ code: 1, output: expect.stringContaining(READABLE) });
  expect(await watch('--disturbed')).toEqual({
    code: 2,
    output: expect.not.stringContaining(`FAIL ${READABLE}`),
  });
  await new Promise((resolve) => server.close(resolve));
});
