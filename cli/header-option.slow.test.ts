import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUpstream } from '../proxy/testing/upstream.ts';
import { runAssay } from './testing/run-assay.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-header-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('record, watch and verify send the field of --header instead of that of the client, and neither print nor record its value', async () => {
  const secret = 'azure-0123456789-abcdef';
  const seen: unknown[] = [];
  const { url, close } = await startUpstream((request, response) => {
    seen.push(request.headers['api-key']);
    response.setHeader('content-type', 'application/json');
    response.end('{"object":"list","data":[]}');
  });
  const clientCode = "fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { 'api-key': 'own' } })";
  const cassette = join(folder, 'recorded');
  const report = join(folder, 'watched');
  const flags = ['--base-url', url, '--header', `api-key: ${secret}`];
  const client = ['--', process.execPath, '-e', clientCode];
  const recorded = await runAssay(['record', ...flags, '--cassette', cassette, ...client]);
  const watched = await runAssay([
    'watch',
    ...flags,
    '--report-dir',
    report,
    '--fail-on',
    'never',
    ...client,
  ]);
  const verified = await runAssay(['verify', cassette, ...flags]);
  await close();
  expect(seen).toEqual([secret, secret, secret]);
  expect([recorded.code, watched.code, verified.code]).toEqual([0, 0, 0]);
  for (const file of [join(cassette, 'cassette.jsonl'), join(report, 'cassette', 'cassette.jsonl')])
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
  for (const { stdout, stderr } of [recorded, watched, verified])
    expect(stdout + stderr).not.toContain(secret);
});

test('verify sends the header fields of the configuration file', async () => {
  const seen: unknown[] = [];
  const { url, close } = await startUpstream((request, response) => {
    seen.push(request.headers['api-key']);
    response.end('{}');
  });
  writeFileSync(join(folder, 'assay.config.json'), '{"header":["api-key: configured"]}');
  const cassette = resolve('cassettes/assistant-session');
  await runAssay(['verify', cassette, '--base-url', url], { cwd: folder });
  await close();
  expect(new Set(seen)).toEqual(new Set(['configured']));
});

test('record rejects a --header whose name no header field can have', async () => {
  const flags = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', join(folder, 'unnamed')];
  const { code, stderr } = await runAssay(['record', ...flags, '--header', 'a b: c', '--', process.execPath]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--header: The name of a header field is invalid'),
  ]);
});
