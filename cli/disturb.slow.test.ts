// Disturbed answers through the commands: the client that suffers them is a separate process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-disturb-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates an assistant, and again where no answer came. */
const CREATING = `
const send = () => fetch(process.env.OPENAI_BASE_URL + '/assistants', {
  method: 'POST',
  headers: { authorization: 'Bearer toy', 'content-type': 'application/json', 'vendor-beta': 'assistants=v2' },
  body: JSON.stringify({ model: 'chat-small' }),
});
await send().catch(send);`;

/** Lists models, and files once, without a second try. */
const LISTING = `
const get = (path) => fetch(process.env.OPENAI_BASE_URL + path, { headers: { authorization: 'Bearer toy' } });
for (const path of ['/models', '/files', '/models', '/files?purpose=batch']) await get(path).catch(() => 0);`;

const program = (code: string) => ['--', process.execPath, '--input-type=module', '-e', code];

test('an object that exists twice is named and ends with 1, before the reference and in a client session', async () => {
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify([{ name: 'reset', on: 'POST /v1/assistants' }]));
  const served = await spawnAssay(['serve', '--disturb', file, ...program(CREATING)]);
  expect(served.stderr).toMatch(
    /disturbed POST \/v1\/assistants by reset: repeated once after \d+\.\d\d s, FAIL: the object exists twice, asst_\w+ and asst_\w+/,
  );
  expect(served.code).toBe(1);
  const dir = join(folder, 'report');
  const client = await runAssay(['client', '--disturb', file, '--report-dir', dir, ...program(CREATING)]);
  expect(client.stderr).toContain('the object exists twice');
  expect(client.stdout).toContain('conforms');
  expect(client.code).toBe(1);
});

test('a client that gives up or goes on does no harm, and a disturbance that fits nothing is counted', async () => {
  const names = 'error-503,unauthorized,cut-stream';
  const { code, stderr } = await runAssay(['serve', '--disturb', names, ...program(LISTING)]);
  expect(stderr).toContain('disturbed GET /v1/files by error-503: not repeated, other requests followed');
  expect(stderr).toContain('disturbed GET /v1/files by unauthorized: not repeated, no request followed');
  expect(stderr).toContain('1 of 3 disturbances met no request that fits');
  expect(code).toBe(0);
});

test('a recording is disturbed on replay', async () => {
  const replay = ['replay', 'cassettes/assistant-session', '--no-strict', '--disturb', 'error-500'];
  const { stderr } = await runAssay([...replay, ...program(LISTING)]);
  expect(stderr).toContain('by error-500: not repeated');
});

test('wrong names are refused, and all names are listed', async () => {
  const wrong = await runAssay(['serve', '--disturb', 'rate-limits']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('Unknown disturbance "rate-limits"; the nearest');
  const secure = ['client', '--base-url', 'https://127.0.0.1:1/v1', '--disturb', 'reset'];
  expect((await runAssay([...secure, ...program(LISTING)])).stderr).toContain('needs a service over http');
  for (const command of [['serve'], ['replay', 'nothing'], ['client']])
    expect((await runAssay([...command, '--disturb', 'list'])).stdout).toContain('  cut-stream  ');
});
