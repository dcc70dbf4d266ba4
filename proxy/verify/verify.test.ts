import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cassette } from '../../exchange/cassette/cassette.ts';
import { ALIAS_PATTERN } from '../../exchange/redaction/alias.ts';
import { startReference } from '../../pipeline/faulty-reference/faulty-reference.ts';
import { recordSession } from '../testing/openai-session.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { createReplayFixture } from '../testing/replay-fixture.ts';
import { portOf } from '../testing/upstream.ts';
import { verifyCassette } from './verify.ts';

const fixture = createRecordFixture();
const { writeCassette } = createReplayFixture();
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-verify-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function findDriftsWith(fault: string) {
  const cassette = join(root, 'c');
  await recordSession(cassette);
  const reference = await startReference({ seed: 7, fault });
  const { drifted } = await verifyCassette({ cassette, baseUrl: reference.url, key: 'any' });
  await reference.close();
  return drifted;
}

test('a service with other identifiers has not drifted', async () => {
  const cassette = join(root, 'c');
  await recordSession(cassette);
  const reference = await startReference({ seed: 7, apiKey: 'sk-the-key-of-now' });
  const report = await verifyCassette({ cassette, baseUrl: reference.url, key: 'sk-the-key-of-now' });
  await reference.close();
  expect(report).toEqual({
    sent: 8,
    skipped: 0,
    drifted: [],
    closed: 0,
    missingRules: null,
    unreachable: null,
  });
});

test.each([
  ['chat.stream.finish-reason-ends-choice', '/choices/0/finish_reason'],
  ['chat-stream-ids-differ', '/id'],
])('a service with the fault %s since the recording has drifted', async (fault, at) => {
  const drifted = await findDriftsWith(fault);
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

test('a pointer to ignore that does not begin with a slash is rejected, and the cassette is closed', async () => {
  const close = vi.spyOn(Cassette.prototype, 'close');
  const options = {
    cassette: 'cassettes/assistant-session',
    baseUrl: 'http://127.0.0.1:9',
    ignore: ['metadata'],
  };
  await expect(verifyCassette(options)).rejects.toThrow(
    'metadata is not a JSON pointer such as /metadata/id.',
  );
  expect(close).toHaveBeenCalledOnce();
  close.mockRestore();
});

test('a current secret is not a drift, and is not printed', async () => {
  const [recordedToken, currentToken] = ['tok-then-0a9Z8b7Y6c', 'tok-now-5X4d3W2e1V0u'];
  let token = recordedToken;
  const { url } = await fixture.start(
    (req, res) => res.end(JSON.stringify({ token, asked: req.url, n: token === currentToken ? 2 : 1 })),
    { redaction: { environment: { SERVICE_TOKEN: recordedToken } } },
  );
  await fetch(`${url}/x?api_key=${recordedToken}`);
  await fixture.stopRecorder();
  token = currentToken;
  const report = await verifyCassette({
    cassette: fixture.cassette(),
    baseUrl: `http://${fixture.serviceHost()}`,
    key: 'tok-key-9Z8b7Y6c5X4d',
    redaction: { environment: { SERVICE_TOKEN: currentToken } },
  });
  expect(report.drifted).toMatchObject([{ drifts: [{ kind: 'value', at: '/n', recorded: 1, now: 2 }] }]);
  expect(JSON.stringify(report)).not.toMatch(/tok-/);
});

test('a current secret in a compressed response is not a drift', async () => {
  const [recordedToken, currentToken] = ['tok-then-0a9Z8b7Y6c', 'tok-now-5X4d3W2e1V0u'];
  let token = recordedToken;
  const { url } = await fixture.start(
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      res.end(gzipSync(JSON.stringify({ note: `The token is ${token}.` })));
    },
    { redaction: { environment: { SERVICE_TOKEN: recordedToken } } },
  );
  await (await fetch(`${url}/x`)).text();
  await fixture.stopRecorder();
  token = currentToken;
  const report = await verifyCassette({
    cassette: fixture.cassette(),
    baseUrl: `http://${fixture.serviceHost()}`,
    redaction: { environment: { SERVICE_TOKEN: currentToken } },
  });
  expect(report).toMatchObject({ sent: 1, drifted: [] });
});

test('text that the service compresses in another way has not drifted', async () => {
  let coding = 'gzip';
  const { url } = await fixture.start((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': coding });
    res.end((coding === 'gzip' ? gzipSync : brotliCompressSync)('A plain text.'));
  });
  await (await fetch(`${url}/x`)).text();
  await fixture.stopRecorder();
  coding = 'br';
  const baseUrl = `http://${fixture.serviceHost()}`;
  expect(await verifyCassette({ cassette: fixture.cassette(), baseUrl })).toMatchObject({
    sent: 1,
    drifted: [],
  });
});

test('the current key replaces a recorded key, and appears nowhere else', async () => {
  const seen: string[] = [];
  const { url } = await fixture.start((req, res) => {
    seen.push(req.url ?? '');
    res.end('{}');
  });
  const secret = 'Sv4x9QzT2mB7kLw0RfA8';
  const signed = `sig=${secret}&signature=${secret}&password=${secret}&x-amz-signature=${secret}`;
  await fetch(`${url}/x?api_key=${secret}&${signed}`);
  await fetch(`${url}/x?token=${secret}`, { headers: { authorization: 'Bearer Qw3-another-key' } });
  await fixture.stopRecorder();
  seen.splice(0);
  const key = 'key-9Z8b7Y6c5X4d';
  await verifyCassette({ cassette: fixture.cassette(), baseUrl: `http://${fixture.serviceHost()}`, key });
  expect(seen.map((target) => target.replaceAll(ALIAS_PATTERN, 'redacted'))).toEqual([
    `/v1/x?api_key=${key}&${signed.replaceAll(secret, 'redacted')}`,
    '/v1/x?token=redacted',
  ]);
});

test('an exchange that was recorded without a response is skipped', async () => {
  const { url } = await fixture.start((req, res) => {
    if (req.url === '/v1/broken') res.socket?.destroy();
    else res.end('{}');
  });
  await fetch(`${url}/x`);
  await expect(fetch(`${url}/broken`)).rejects.toThrow('fetch failed');
  await fixture.stopRecorder();
  const report = await verifyCassette({
    cassette: fixture.cassette(),
    baseUrl: `http://${fixture.serviceHost()}`,
  });
  expect(report).toMatchObject({ sent: 1, skipped: 1, drifted: [], unreachable: null });
});

test('a request that was recorded with another host is skipped', async () => {
  const cassette = await writeCassette([{ method: 'GET', target: '/assay-url/https/images.example/a.png' }]);
  const report = await verifyCassette({ cassette, baseUrl: 'http://127.0.0.1:9' });
  expect(report).toMatchObject({ sent: 0, skipped: 1, drifted: [] });
});

test('the scope of a recorded request is not sent to the service', async () => {
  const scopes: unknown[] = [];
  const { url } = await fixture.start((req, res) => {
    scopes.push(req.headers['x-assay-scope'] ?? null);
    res.end('{}');
  });
  await fetch(`${url}/x`, { headers: { 'x-assay-scope': 'a test' } });
  await fixture.stopRecorder();
  scopes.splice(0);
  await verifyCassette({ cassette: fixture.cassette(), baseUrl: `http://${fixture.serviceHost()}` });
  expect(scopes).toEqual([null]);
});

test('an unreachable service has drifted', async () => {
  const { url } = await fixture.start((_req, res) => res.end('{}'));
  await fetch(`${url}/x`);
  await fixture.stopRecorder();
  const host = fixture.serviceHost();
  await fixture.stopService();
  const report = await verifyCassette({ cassette: fixture.cassette(), baseUrl: `http://${host}` });
  expect(report).toMatchObject({
    sent: 1,
    skipped: 0,
    drifted: [{ drifts: [{ kind: 'status', recorded: 200, now: expect.stringContaining('ECONNREFUSED') }] }],
    unreachable: expect.stringContaining('ECONNREFUSED'),
  });
});

/** `shouldClose` gets the path of a request and its number on its connection, from 1. */
async function verifyAgainst(shouldClose: (path: string, n: number) => boolean) {
  const { url } = await fixture.start((_req, res) => res.end('{}'));
  for (const path of ['/a', '/b', '/c']) await (await fetch(`${url}${path}`)).text();
  await fixture.stopRecorder();
  const requestCounts = new WeakMap<object, number>();
  const service = createServer((req, res) => {
    const n = (requestCounts.get(req.socket) ?? 0) + 1;
    requestCounts.set(req.socket, n);
    if (shouldClose(req.url ?? '', n)) req.socket.destroy();
    else res.end('{}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  try {
    return await verifyCassette({
      cassette: fixture.cassette(),
      baseUrl: `http://127.0.0.1:${portOf(service)}`,
    });
  } finally {
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
  }
}

test('a request whose persistent connection closes is sent again, and has not drifted', async () => {
  let closedCount = 0;
  const report = await verifyAgainst((_path, n) => {
    if (n > 1) closedCount += 1;
    return n > 1;
  });
  expect(closedCount).toBeGreaterThan(0);
  expect(report).toMatchObject({ sent: 3, skipped: 0, closed: 0, drifted: [] });
});

test('a request on which the service closes each connection is reported, and is not drift', async () => {
  const report = await verifyAgainst((path) => path.endsWith('/b'));
  expect(report).toMatchObject({ sent: 3, skipped: 0, closed: 1, drifted: [], unreachable: null });
});

test.each([
  ['is not compared', { disturbed: true }, { sent: 1, skipped: 1, drifted: [] }],
  [
    'is compared if only the service claims the disturbance',
    {},
    { sent: 2, skipped: 0, drifted: [{ exchange: 'e1' }] },
  ],
])('a response that was disturbed on purpose %s', async (_, header, expected) => {
  let isDisturbed = true;
  const { url } = await fixture.start(
    (req, res) => {
      const mark = isDisturbed && req.url === '/v1/models' ? { 'x-assay-disturbed': 'truncated-json' } : {};
      res.writeHead(200, { 'content-type': 'application/json', ...mark });
      res.end(isDisturbed && req.url === '/v1/models' ? '{"obj' : '{}');
    },
    { header },
  );
  await fetch(`${url}/models`);
  await fetch(`${url}/files`);
  await fixture.stopRecorder();
  isDisturbed = false;
  const report = await verifyCassette({
    cassette: fixture.cassette(),
    baseUrl: `http://${fixture.serviceHost()}`,
  });
  expect(report).toMatchObject(expected);
});
