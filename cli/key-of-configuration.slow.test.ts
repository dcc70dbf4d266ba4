import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { runAssay } from './testing/run-assay.ts';

const KEY = 'sk-assay-key-of-a-gateway';
const cwd = mkdtempSync(join(tmpdir(), 'assay-key-'));
let reference: Reference;

beforeAll(async () => {
  reference = await serveReference({ apiKey: KEY });
  const configuration = { format: 1, baseUrl: reference.url, apiKeyEnv: 'GATEWAY_KEY' };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(configuration));
  const clientSource = `const headers = process.env.CLIENT_KEY ? { authorization: 'Bearer ' + process.env.CLIENT_KEY } : {};
    await (await fetch(process.env.ASSAY_BASE_URL + '/models', { headers })).text();`;
  writeFileSync(join(cwd, 'client.mjs'), clientSource);
  expect((await record('session', { CLIENT_KEY: KEY })).stderr).not.toContain('Every answer is 401');
});

afterAll(async () => {
  await reference.close();
  rmSync(cwd, { recursive: true });
});

function record(cassette: string, env: Readonly<Record<string, string>>) {
  return runAssay(['record', '--cassette', cassette, '--', process.execPath, 'client.mjs'], { cwd, env });
}

test('record does not send the key of the configuration, and says how to send a key if every answer is 401', async () => {
  const { code, stderr } = await record('denied', { GATEWAY_KEY: KEY });
  expect(code).toBe(0);
  expect(stderr).toContain("Every answer is 401: the client's key is forwarded; --api-key-env NAME");
});

test('a command that sends nothing needs no key', async () => {
  const checked = await runAssay(['check', 'session', '--report', 'terminal'], { cwd });
  expect([checked.code, checked.stderr]).toEqual([0, expect.not.stringContaining('GATEWAY_KEY')]);
  const planned = await runAssay(['run', '--dry-run', '--claim', 'models'], { cwd });
  expect([planned.code, planned.stderr]).toEqual([0, expect.not.stringContaining('GATEWAY_KEY')]);
});

test('a command that sends requests names the missing variable of the key', async () => {
  const missing = 'apiKeyEnv in assay.config.json names GATEWAY_KEY, which is not set.';
  for (const command of [
    ['verify', 'session', '--base-url', reference.url],
    ['run', '--claim', 'models'],
  ]) {
    const { code, stderr } = await runAssay(command, { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(missing)]);
  }
});

test('verify sends the key that the configuration names, and says if the service rejects it', async () => {
  const command = ['verify', 'session', '--base-url', reference.url];
  const verified = await runAssay(command, { cwd, env: { GATEWAY_KEY: KEY } });
  expect([verified.code, verified.stderr]).toEqual([0, expect.stringContaining('1 request sent')]);
  const denied = await runAssay(command, { cwd, env: { GATEWAY_KEY: 'another' } });
  expect([denied.code, denied.stderr]).toEqual([1, expect.stringContaining('Every response is 401')]);
});
