import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-settings-'));
const client = join(folder, 'client.mjs');
let reference: Reference;
let service: TestUpstream;

beforeAll(async () => {
  reference = await serveReference();
  service = await startBreakingProxy(reference.url, [
    { operation: 'listModels', pointer: '/object', value: 'lists' },
    { operation: 'listModels', pointer: '/data/0/owned_by', value: 1 },
  ]);
  writeFileSync(client, "await (await fetch(process.env.ASSAY_BASE_URL + '/models')).text();\n");
});

afterAll(async () => {
  await Promise.all([service.close(), reference.close()]);
  rmSync(folder, { recursive: true });
});

const clientCommand = ['--', process.execPath, client];

test('record takes the service and its header fields from the environment', async () => {
  const cassette = join(folder, 'of-environment');
  const env = { ASSAY_BASE_URL: service.url, ASSAY_HEADER: 'X-Tenant: one', ASSAY_WAIT_FOR: '5' };
  const { code, stderr } = await runAssay(['record', '--cassette', cassette, ...clientCommand], { env });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('1 exchange recorded') });
  const { items } = await readTrace(cassette);
  const sent = items.flatMap((item) => ('request' in item ? item.request.headers : []));
  // The recorder redacts the value of the header field, so only its name is compared.
  expect(sent.map(([name]) => name)).toContain('X-Tenant');
});

test('record takes the service from assay.config.json', async () => {
  const cwd = join(folder, 'configured');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify({ baseUrl: service.url }));
  const { code } = await runAssay(['record', '--cassette', 'session', ...clientCommand], { cwd });
  expect([code, existsSync(join(cwd, 'session', 'cassette.jsonl'))]).toEqual([0, true]);
});

test('watch judges what --only and --skip select, live and in its report', async () => {
  const dir = join(folder, 'watched');
  const filters = [
    '--only',
    'model.list:*',
    '--only',
    'model:owned_by#*',
    '--skip',
    'model.list:object#const',
  ];
  const flags = ['--base-url', service.url, '--report', 'json', '--report-dir', dir, ...filters];
  const { code, stderr } = await runAssay(['watch', ...flags, ...clientCommand]);
  expect(code).toBe(1);
  expect(stderr).toContain('FAIL  model:owned_by#type');
  expect(stderr).not.toContain('FAIL  model.list:object#const');
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  const failed = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(failed).toEqual(['model:owned_by#type']);
});

test.for([['record', '--cassette', join(folder, 'none')], ['watch']])(
  '%s without a service says where to name it',
  async (args) => {
    const { code, stderr } = await runAssay([...args, ...clientCommand]);
    expect([code, stderr]).toEqual([
      2,
      'No service: give --base-url URL, or set ASSAY_BASE_URL, or baseUrl in assay.config.json.\n' +
        `(assay ${args[0]} --help lists its options)\n`,
    ]);
  },
);

test('a service that does not start in time is named, and nothing is recorded', async () => {
  const cassette = join(folder, 'late');
  const flags = ['--base-url', 'http://127.0.0.1:1/v1', '--wait-for', '0.2', '--cassette', cassette];
  const { code, stderr } = await runAssay(['record', ...flags, ...clientCommand]);
  expect([code, existsSync(cassette)]).toEqual([2, false]);
  expect(stderr).toMatch(
    /^http:\/\/127\.0\.0\.1:1\/v1 did not respond within 0\.2 s \(.*\): start the service/,
  );
});
