import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isClientRequirement } from '../judge/requirements/selection.ts';
import { DISTURBANCES } from '../proxy/disturb/disturbances.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-disturb-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CREATING_CLIENT = `
const send = () => fetch(process.env.OPENAI_BASE_URL + '/assistants', {
  method: 'POST',
  headers: { authorization: 'Bearer toy', 'content-type': 'application/json', 'vendor-beta': 'assistants=v2' },
  body: JSON.stringify({ model: 'chat-small' }),
});
await send().catch(send);`;

/** Does the same as `CREATING_CLIENT`, and then uses half a stream as if it were complete. */
const NAIVE_CLIENT = `${CREATING_CLIENT}
const chat = (body) => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer toy', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'chat-small', ...body }),
});
const messages = [{ role: 'user', content: 'Say "one two three four five six".' }];
let text = '';
try {
  for await (const piece of (await chat({ messages, stream: true })).body) text += Buffer.from(piece).toString();
} catch {}
const content = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, words]) => words).join('');
await chat({ messages: [...messages, { role: 'assistant', content }] });`;

const LISTING_CLIENT = `
const get = (path) => fetch(process.env.OPENAI_BASE_URL + path, { headers: { authorization: 'Bearer toy' } });
for (const path of ['/models', '/files', '/models', '/files?purpose=batch']) await get(path).catch(() => 0);`;

const STREAMING_CLIENT = `
const send = (path, body) => fetch(process.env.OPENAI_BASE_URL + path, {
  method: 'POST',
  headers: { authorization: 'Bearer toy', 'content-type': 'application/json', 'vendor-beta': 'assistants=v2' },
  body: JSON.stringify(body),
});
const { id: assistant_id } = await (await send('/assistants', { model: 'chat-small' })).json();
const run = async () => (await send('/threads/runs', { assistant_id, stream: true })).text();
await run().catch(run);`;

/** Calls each operation often enough for every disturbance to find a request that fits. */
const BUSY_CLIENT = `
const send = (method, path, body) => fetch(process.env.OPENAI_BASE_URL + path, {
  method,
  headers: { authorization: 'Bearer toy', 'content-type': 'application/json', 'vendor-beta': 'assistants=v2' },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
}).then((answer) => answer.text()).catch(() => '');
const chat = { model: 'chat-small', messages: [{ role: 'user', content: 'Say "one two three four".' }] };
for (let i = 0; i < 16; i += 1) {
  await send('POST', '/assistants', { model: 'chat-small' });
  await send('GET', '/models');
  await send('POST', '/chat/completions', chat);
  await send('POST', '/chat/completions', { ...chat, stream: true });
}`;

const program = (code: string) => ['--', process.execPath, '--input-type=module', '-e', code];

const RESET_OF_CREATION = join(folder, 'reset-of-creation.json');
writeFileSync(RESET_OF_CREATION, JSON.stringify([{ name: 'reset', on: 'POST /v1/assistants' }]));

test('serve names both ids of an object that was created twice', async () => {
  const { code, stderr } = await runAssay([
    ...['serve', '--disturb', RESET_OF_CREATION],
    ...program(CREATING_CLIENT),
  ]);
  expect(stderr).toMatch(
    /disturbed POST \/v1\/assistants by reset: repeated once after \d+\.\d\d s, the object exists twice, asst_\w+ and asst_\w+/,
  );
  expect(code).toBe(1);
});

test('a client session warns about an object that was created twice', async () => {
  const client = await runAssay([
    ...['client', '--disturb', RESET_OF_CREATION, '--report-dir', join(folder, 'report')],
    ...program(CREATING_CLIENT),
  ]);
  expect(client.stderr).toContain('WARN  client.creations.once');
  expect(client.stdout).toMatch(
    /disturbed POST \/v1\/assistants by reset: repeated once after \d+\.\d\d s, the object exists\s+twice/,
  );
  expect(client.stdout).toContain('conforms');
  expect(client.code).toBe(0);
});

test('a streamed creation that is sent twice is found', async () => {
  const file = join(folder, 'streamed.json');
  writeFileSync(file, JSON.stringify([{ name: 'cut-stream', on: 'POST /v1/threads/runs' }]));
  const flags = ['--disturb', file, '--report-dir', join(folder, 'streamed'), ...program(STREAMING_CLIENT)];
  const client = await runAssay(['client', ...flags]);
  expect(client.stderr).toContain('WARN  client.creations.once');
});

test('the reports name the mistakes of a naive client, and a check of its recording agrees', async () => {
  const file = join(folder, 'naive.json');
  const plan = [
    { name: 'reset', on: 'POST /v1/assistants' },
    { name: 'cut-stream', on: 'POST /v1/chat/completions', after: 6 },
    { name: 'unauthorized', on: 'GET /v1/files' },
  ];
  writeFileSync(file, JSON.stringify(plan));
  const dir = join(folder, 'naive');
  const flags = ['--report', 'json,html', '--report-dir', dir, '--fail-on', 'should'];
  const client = await runAssay(['client', '--disturb', file, ...flags, ...program(NAIVE_CLIENT)]);
  expect(client.code).toBe(1);
  const read = (name: string) => readFileSync(join(dir, name), 'utf8');
  const report = JSON.parse(read('report.json')) as Report; // as: its schema is tested elsewhere
  const broken = report.requirements.filter(({ verdict }) => verdict === 'warn' || verdict === 'fail');
  expect(broken.map(({ id }) => id)).toEqual(['client.creations.once', 'client.streams.whole']);
  expect(report.disturbances).toMatchObject([
    { disturbance: 'reset', request: 'POST /v1/assistants', retries: 1, honoured: null },
    { disturbance: 'cut-stream', retries: 0, wentOn: true, usedHalf: true },
    { disturbance: 'unauthorized', request: null },
  ]);
  expect(report.disturbances?.[0]?.createdTwice).toHaveLength(2);
  expect(read('report.html')).toContain('half a stream was used as if it were whole');
  const offline = ['check', '--side', 'client', join(dir, 'cassette'), '--report', 'json', '--report-dir'];
  const again = join(folder, 'again');
  await runAssay([...offline, again]);
  // as: its schema is tested elsewhere
  const checked = JSON.parse(readFileSync(join(again, 'report.json'), 'utf8')) as Report;
  expect([checked.requirements, checked.disturbances]).toEqual([report.requirements, report.disturbances]);
});

test('disturbed responses are not held against the service when both sides are judged', async () => {
  const names = DISTURBANCES.map(({ name }) => name);
  const dir = join(folder, 'busy');
  const flags = ['--report', 'json', '--report-dir', dir];
  const client = await runAssay(['client', '--disturb', names.join(','), ...flags, ...program(BUSY_CLIENT)]);
  expect(client.code).toBe(0);
  const offline = join(folder, 'busy-server');
  const server = await runAssay([
    'check',
    join(dir, 'cassette'),
    '--side',
    'both',
    '--report-dir',
    offline,
    '--report',
    'terminal,json',
  ]);
  expect(server.stdout).toMatch(/hint: \d+ answers were changed by --disturb/);
  const report = JSON.parse(readFileSync(join(offline, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  const applied = report.disturbances?.filter(({ request }) => request !== null) ?? [];
  expect(applied.map(({ disturbance }) => disturbance).toSorted()).toEqual(names.toSorted());
  const serviceRequirements = report.requirements.filter(({ id }) => !isClientRequirement(id));
  expect(serviceRequirements.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(100);
  expect(
    serviceRequirements.filter(({ verdict }) => ['fail', 'warn', 'inconclusive', 'error'].includes(verdict)),
  ).toEqual([]);
  expect(server.code).toBe(0);
});

test('a client that gives up or continues is not blamed', async () => {
  const names = 'error-503,unauthorized';
  const { code, stderr } = await runAssay(['serve', '--disturb', names, ...program(LISTING_CLIENT)]);
  expect(stderr).toContain('disturbed GET /v1/files by error-503: not repeated, other requests followed');
  expect(stderr).toContain('disturbed GET /v1/files by unauthorized: not repeated, no request followed');
  expect(code).toBe(0);
});

test('a disturbance that no request matches is reported', async () => {
  const { code, stderr } = await runAssay(['serve', '--disturb', 'cut-stream', ...program(LISTING_CLIENT)]);
  expect(stderr).toContain(
    'cut-stream matched no request; without "on" in a file, neither the first request nor two in a row are disturbed\n',
  );
  expect(code).toBe(0);
});

test('a replay can disturb recorded responses', async () => {
  const store = '/vector_stores/vs_crEziOIfxvgupv72rIsVwhAf';
  const readStore = `
const url = process.env.OPENAI_BASE_URL + '${store}';
const headers = { authorization: 'Bearer toy', 'vendor-beta': 'assistants=v2' };
for (let i = 0; i < 2; i += 1) await (await fetch(url, { headers })).text();`;
  const replay = ['replay', 'cassettes/assistant-session', '--no-strict', '--exhausted', 'repeat-last'];
  const { stderr } = await runAssay([...replay, '--disturb', 'error-500', ...program(readStore)]);
  expect(stderr).toContain(`disturbed GET /v1${store} by error-500: not repeated`);
  expect(stderr).toMatch(/^\d requests? answered, 0 misses, /m);
});

test('an unknown disturbance is rejected with the nearest names', async () => {
  const { code, stderr } = await runAssay(['serve', '--disturb', 'rate-limits']);
  expect(code).toBe(2);
  expect(stderr).toContain(
    'Unknown disturbance "rate-limits"; the nearest are rate-limit, rate-limit-bare. --disturb list prints all.',
  );
});

test('a service over https cannot be disturbed', async () => {
  const flags = ['--base-url', 'https://127.0.0.1:1/v1', '--disturb', 'reset'];
  const { code, stderr } = await runAssay(['client', ...flags, ...program(LISTING_CLIENT)]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs a service over http')]);
});

test.each([['serve'], ['replay', 'nothing'], ['client']])(
  'assay %s lists every disturbance',
  async (...words) => {
    const { stdout } = await runAssay([...words, '--disturb', 'list']);
    for (const { name } of DISTURBANCES) expect(stdout).toContain(`  ${name}  `);
  },
);
