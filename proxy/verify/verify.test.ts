import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALIAS_PATTERN } from '../../exchange/redaction/alias.ts';
import { startReference } from '../../reference/service.ts';
import { recordSession } from '../testing/openai-session.ts';
import { recordFixture } from '../testing/recording-bench.ts';
import { requestBodyOf } from '../testing/upstream.ts';
import { verifyCassette } from './verify.ts';

/** What the reference drifts with when it has the fault since the recording. */
async function driftsWith(fault: string) {
  const cassette = join(root, 'c');
  await recordSession(cassette);
  const reference = await startReference({ seed: 7, fault });
  const { drifted } = await verifyCassette({ cassette, baseUrl: reference.url, key: 'any' });
  await reference.close();
  return drifted;
}

const bench = recordFixture();
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-verify-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a service with other identifiers has not drifted', async () => {
  const cassette = join(root, 'c');
  await recordSession(cassette);
  const reference = await startReference({ seed: 7, apiKey: 'sk-the-key-of-now' });
  const report = await verifyCassette({ cassette, baseUrl: reference.url, key: 'sk-the-key-of-now' });
  await reference.close();
  expect(report).toEqual({ sent: 8, skipped: 0, drifted: [], missingRules: null, unreachable: null });
});

test.each([
  ['chat-finish-reason-early', '/choices/0/finish_reason'],
  ['chat-stream-ids-differ', '/id'],
])('a service with the fault %s since the recording has drifted', async (fault, at) => {
  const drifted = await driftsWith(fault);
  expect(drifted).toHaveLength(2);
  for (const { drifts } of drifted) {
    expect(drifts).toContainEqual(
      expect.objectContaining({
        kind: 'stream-value',
        at: expect.stringMatching(new RegExp(`event \\d ${at}$`)),
      }),
    );
  }
});

describe('a drift', () => {
  /** Records one answer, then verifies against another. */
  async function drift(
    path: string,
    before: object | string,
    after: object | string,
    status = 200,
    request: RequestInit = {},
  ) {
    const answer = { value: before, status: 200 };
    await bench.through(async (req, res) => {
      await requestBodyOf(req);
      const { value } = answer;
      const type = typeof value === 'string' ? 'text/event-stream' : 'application/json';
      res.writeHead(answer.status, { 'content-type': type });
      res.end(typeof value === 'string' ? value : JSON.stringify(value));
    });
    const recorder = bench.recorderUrl();
    await fetch(`${recorder}${path}`, request);
    await bench.stopRecorder();
    answer.value = after;
    answer.status = status;
    const report = await verifyCassette({
      cassette: bench.cassette(),
      baseUrl: `http://${bench.serviceHost()}`,
      ignore: ['/free/*'],
    });
    return report.drifted[0]?.drifts ?? [];
  }

  const model = { id: 'm', object: 'model', created: 1, owned_by: 'me' };

  test('of the status is reported alone', async () => {
    expect(await drift('/models/m', model, { ...model, owned_by: 'you' }, 404)).toEqual([
      { kind: 'status', at: 'status', recorded: 200, now: 404 },
    ]);
  });

  test('of the schema and of values is reported with its place', async () => {
    expect(await drift('/models/m', model, { ...model, created: 'now', owned_by: 'you', more: 1 })).toEqual([
      expect.objectContaining({ kind: 'schema', at: '/created' }),
      { kind: 'value', at: '/owned_by', recorded: 'me', now: 'you' },
      { kind: 'schema', at: '/more', recorded: 'absent', now: 'a number' },
    ]);
  });

  test('of the schema is reported where the request leaves out the field that decides between schemas', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: 'assistant', content: 'Hi' };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    const reply = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage };
    const { usage: _, ...without } = reply;
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await drift('/chat/completions', reply, without, 200, request)).toContainEqual(
      expect.objectContaining({ kind: 'schema', at: '/usage' }),
    );
  });

  test('of the length of a list is one where all is gone, or where the request states it', async () => {
    const list = (n: number) => ({ items: Array.from({ length: n }, (_, i) => ({ at: i })) });
    expect(await drift('/x', list(2), list(0))).toEqual([
      { kind: 'length', at: '/items', recorded: 2, now: 0 },
    ]);
    await bench.stopService();
    expect(await drift('/x', list(2), list(1))).toEqual([]);
    await bench.stopService();
    expect(await drift('/x', list(0), list(2))).toEqual([]);
    await bench.stopService();
    const chat = (n: number) => ({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
      choices: Array.from({ length: n }, (_, index) => ({
        ...{ index, finish_reason: 'stop', logprobs: null },
        message: { role: 'assistant', content: `${index}` },
      })),
    });
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }], n: 2 });
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await drift('/chat/completions', chat(2), chat(1), 200, post)).toEqual([
      { kind: 'length', at: '/choices', recorded: 2, now: 1 },
    ]);
  });

  test('of the stream is a drift of its order, not of its deltas', async () => {
    const stream = (...kinds: string[]) =>
      kinds.map((kind, i) => `event: ${kind}\ndata: {"text":"piece ${i}"}\n\n`).join('');
    expect(await drift('/x', stream('a', 'b', 'b', 'c'), stream('a', 'b', 'b', 'b', 'c'))).toEqual([]);
    await bench.stopService();
  });

  test('of the stream order names the event before', async () => {
    const stream = (...kinds: string[]) => kinds.map((kind) => `event: ${kind}\ndata: {}\n\n`).join('');
    expect(await drift('/x', stream('a', 'b'), stream('a', 'c', 'b'))).toEqual([
      { kind: 'stream-order', at: 'the event after a object', recorded: 'b object', now: 'c object' },
    ]);
  });

  test('of what differs from call to call, or is to be ignored, is none', async () => {
    const body = (n: number) => ({
      created: n,
      created_at: n,
      usage: { total_tokens: n },
      free: { a: n },
      id: `file-abcdef${n}`,
    });
    expect(await drift('/x', body(1), body(2))).toEqual([]);
  });
});

test('a current secret is not a drift, and is not printed', async () => {
  const [then, now] = ['tok-then-0a9Z8b7Y6c', 'tok-now-5X4d3W2e1V0u'];
  let token = then;
  const { url } = await bench.through(
    (req, res) => res.end(JSON.stringify({ token, asked: req.url, n: token === now ? 2 : 1 })),
    { redaction: { environment: { SERVICE_TOKEN: then } } },
  );
  await fetch(`${url}/x?api_key=${then}`);
  await bench.stopRecorder();
  token = now;
  const report = await verifyCassette({
    cassette: bench.cassette(),
    baseUrl: `http://${bench.serviceHost()}`,
    key: 'tok-key-9Z8b7Y6c5X4d',
    redaction: { environment: { SERVICE_TOKEN: now } },
  });
  expect(report.drifted).toMatchObject([{ drifts: [{ kind: 'value', at: '/n', recorded: 1, now: 2 }] }]);
  expect(JSON.stringify(report)).not.toMatch(/tok-/);
});

test('the key goes where a key stood, and nowhere else', async () => {
  const seen: string[] = [];
  const { url } = await bench.through((req, res) => {
    seen.push(req.url ?? '');
    res.end('{}');
  });
  const made = 'Sv4x9QzT2mB7kLw0RfA8';
  const signed = `sig=${made}&signature=${made}&password=${made}&x-amz-signature=${made}`;
  await fetch(`${url}/x?api_key=${made}&${signed}`);
  await fetch(`${url}/x?token=${made}`, { headers: { authorization: 'Bearer Qw3-another-key' } });
  await bench.stopRecorder();
  seen.splice(0);
  const key = 'key-9Z8b7Y6c5X4d';
  await verifyCassette({ cassette: bench.cassette(), baseUrl: `http://${bench.serviceHost()}`, key });
  expect(seen.map((target) => target.replaceAll(ALIAS_PATTERN, 'redacted'))).toEqual([
    `/v1/x?api_key=${key}&${signed.replaceAll(made, 'redacted')}`,
    '/v1/x?token=redacted',
  ]);
});

test('a service that is not there has drifted; what cannot be sent is passed over', async () => {
  const { url } = await bench.through((req, res) => {
    if (req.url === '/v1/broken') res.socket?.destroy();
    else res.end('{}');
  });
  await fetch(`${url}/x`);
  await expect(fetch(`${url}/broken`)).rejects.toThrow('fetch failed');
  await bench.stopRecorder();
  const host = bench.serviceHost();
  await bench.stopService();
  const report = await verifyCassette({ cassette: bench.cassette(), baseUrl: `http://${host}` });
  expect(report).toMatchObject({
    sent: 1,
    skipped: 1,
    drifted: [{ drifts: [{ kind: 'status', recorded: 200, now: expect.stringContaining('ECONNREFUSED') }] }],
    unreachable: expect.stringContaining('ECONNREFUSED'),
  });
});

test.each([
  ['is not compared', { disturbed: true }, { sent: 1, skipped: 1, drifted: [] }],
  ['is compared where the service alone says so', {}, { sent: 2, skipped: 0, drifted: [{ exchange: 'e1' }] }],
])('a response that was spoiled on purpose %s', async (_, header, expected) => {
  let isSpoiled = true;
  const { url } = await bench.through(
    (req, res) => {
      const mark = isSpoiled && req.url === '/v1/models' ? { 'x-assay-disturbed': 'truncated-json' } : {};
      res.writeHead(200, { 'content-type': 'application/json', ...mark });
      res.end(isSpoiled && req.url === '/v1/models' ? '{"obj' : '{}');
    },
    { header },
  );
  await fetch(`${url}/models`);
  await fetch(`${url}/files`);
  await bench.stopRecorder();
  isSpoiled = false;
  const report = await verifyCassette({
    cassette: bench.cassette(),
    baseUrl: `http://${bench.serviceHost()}`,
  });
  expect(report).toMatchObject(expected);
});
