import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { MemoryRecorder } from '../exchange/cassette/recording.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import type { NoteContent } from '../exchange/trace.ts';
import { configureForTarget, type RunConfiguration } from './configuration/configuration.ts';
import { readSettings } from './configuration/settings.ts';
import { PreflightClient } from './preflight/preflight-client.ts';
import { RunSession } from './run-session.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<RunConfiguration> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has a port
  const flags = { baseUrl: `http://127.0.0.1:${port}/v1`, timeout: 5 };
  return configureForTarget(readSettings({ flags, env: {}, file: null, readText: () => '' }), null);
}

/** Closes a connection instead of responding to a POST after its first `count` requests. */
function createClosingServer(count: number): { readonly server: Server; readonly answered: string[] } {
  const requests = new WeakMap<Socket, number>();
  const answered: string[] = [];
  const answer: RequestListener = (req, res) => {
    const n = (requests.get(req.socket) ?? 0) + 1;
    requests.set(req.socket, n);
    let body = '';
    req.on('data', (piece) => {
      body += piece;
    });
    req.on('end', () => {
      if (n > count && req.method === 'POST') {
        req.socket.destroy();
        return;
      }
      answered.push(`${req.method} ${body}`);
      res.setHeader('content-type', 'application/json');
      res.end('{"id":"moderation-1","results":[]}');
    });
  };
  return { server: createServer(answer), answered };
}

function openSession(configuration: RunConfiguration) {
  const notes: NoteContent[] = [];
  const recorder = Object.assign(new MemoryRecorder(Redactor.none), {
    note: (note: NoteContent) => void notes.push(note),
  });
  const session = new RunSession(configuration, recorder, new PreflightClient(configuration));
  closers.push(() => session.close());
  return { session, notes };
}

test('a POST that meets a closing connection is sent again on a new one, and the trace says so', async () => {
  const { server, answered } = createClosingServer(2);
  const { session, notes } = openSession(await listen(server));
  const call = (input: string) =>
    session.sendCall({ scenario: 'a' }, 'createModeration', { body: { input } });
  const statuses: (number | undefined)[] = [];
  for (const input of ['a', 'b', 'c', 'd', 'e']) statuses.push((await call(input)).response?.status);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(answered).toEqual(['a', 'b', 'c', 'd', 'e'].map((input) => `POST {"input":"${input}"}`));
  expect(notes).toContainEqual({
    note: 'retry',
    exchange: expect.any(String),
    of: expect.any(String),
    repeat: { why: 'closed', detail: expect.any(String) },
  });
  expect(session.stopped).toBeNull();
});

test('several connections that close at the same time lose no call', async () => {
  const { server, answered } = createClosingServer(1);
  const { session } = openSession(await listen(server));
  const call = (n: number) =>
    session.sendCall({ scenario: 'a' }, 'createModeration', { body: { input: `${n}` } });
  for (let round = 0; round < 3; round += 1) {
    const exchanges = await Promise.all(Array.from({ length: 6 }, (_, n) => call(round * 6 + n)));
    expect(exchanges.map(({ response }) => response?.status)).toEqual(exchanges.map(() => 200));
  }
  expect(answered).toHaveLength(18);
});

test('resending a request that met a closing connection does not use up the retries after a 503', async () => {
  const { server } = createClosingServer(1);
  let busy = 2;
  server.prependListener('request', (req, res) => {
    if (req.socket.bytesWritten > 0 || busy === 0) return;
    req.on('data', (body: Buffer) => {
      if (body.includes('first')) return;
      busy -= 1;
      res.statusCode = 503;
    });
  });
  const { session, notes } = openSession(await listen(server));
  const statusOf = async (input: string) => {
    const { response } = await session.sendCall({ scenario: 'a' }, 'createModeration', { body: { input } });
    return response?.status;
  };
  expect([await statusOf('first'), await statusOf('second')]).toEqual([200, 200]);
  const repeats = notes.flatMap((note) =>
    note.note === 'retry' && 'repeat' in note ? [note.repeat.why] : [],
  );
  expect(repeats.filter((why) => why === 'patience')).toHaveLength(2);
  expect(repeats).toContain('closed');
});

test('a POST whose response always breaks off within its headers is not retried forever', async () => {
  let requests = 0;
  const server = createServer((req, res) => {
    if (req.method === 'GET') res.end('{}');
    else {
      requests += 1;
      req.socket.end('HTTP/1.1 200 OK\r\nX-Half: ');
    }
  });
  const { session } = openSession(await listen(server));
  const { response } = await session.sendCall({ scenario: 'a' }, 'createModeration', {
    body: { input: 'a' },
  });
  expect(response).toBeNull();
  expect(requests).toBeLessThan(6);
});

test('a POST whose new connection closes without a response is repeated twice, unless it creates an object that no list shows', async () => {
  const { server } = createClosingServer(0);
  const { session, notes } = openSession(await listen(server));
  const retries = () => notes.filter(({ note }) => note === 'retry').length;
  const exchange = await session.sendCall({ scenario: 'a' }, 'createModeration', { body: { input: 'a' } });
  expect([exchange.response, exchange.end.how, retries()]).toEqual([null, 'upstream-reset', 2]);
  const purpose = { scenario: 'a', mayHaveCreated: () => {} };
  await session.sendCall(purpose, 'createThread', { body: {} });
  expect(retries()).toBe(2);
});

test('a download never meets a closing connection', async () => {
  const counts = new WeakMap<Socket, number>();
  const server = createServer((req, res) => {
    const count = (counts.get(req.socket) ?? 0) + 1;
    counts.set(req.socket, count);
    if (count > 1) req.socket.destroy();
    else res.end('{}');
  });
  const configuration = await listen(server);
  const { session } = openSession(configuration);
  await session.sendCall({ scenario: 'a' }, 'listFiles', {});
  // Until the connection is idle, no request would reuse it.
  await waitForNextTurn();
  const exchange = await session.download({ scenario: 'a' }, `${configuration.target.baseUrl}/files/1`);
  expect(exchange?.response?.status).toBe(200);
});

test('a connection that the server announces to close gets no further request', async () => {
  const { server, answered } = createClosingServer(1);
  server.prependListener('request', (_req, res) => {
    res.setHeader('connection', 'close');
  });
  const { session, notes } = openSession(await listen(server));
  for (const input of ['a', 'b', 'c'])
    await session.sendCall({ scenario: 'a' }, 'createModeration', { body: { input } });
  expect([answered.length, notes]).toEqual([3, []]);
});

test('a connection gets no more requests than its server announces', async () => {
  const maxRequests = 3;
  const { server, answered } = createClosingServer(maxRequests);
  server.prependListener('request', (_req, res) => {
    res.setHeader('keep-alive', `timeout=5, max=${maxRequests}`);
  });
  const { session, notes } = openSession(await listen(server));
  const call = (n: number) =>
    session.sendCall({ scenario: 'a' }, 'createModeration', { body: { input: `${n}` } });
  for (let n = 0; n < 10; n += 1) await call(n);
  for (let round = 0; round < 4; round += 1)
    await Promise.all(Array.from({ length: 4 }, (_, n) => call(10 + round * 4 + n)));
  expect([answered.length, notes]).toEqual([26, []]);
});

test('a call that meets a closing connection is sent again even if its operation gets no other retries', async () => {
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    // Five calls with four attempts each use up the retries of the operation.
    if (requests === 21) req.socket.destroy();
    else res.writeHead(requests > 20 ? 200 : 429, { 'retry-after': '0' }).end('{}');
  });
  const { session } = openSession(await listen(server));
  const statuses: (number | undefined)[] = [];
  for (let n = 0; n < 6; n += 1)
    statuses.push((await session.sendCall({ scenario: 'a' }, 'listFiles', {})).response?.status);
  expect(statuses).toEqual([429, 429, 429, 429, 429, 200]);
});

test('a request that crashed the target is not sent again, but one with other headers is', async () => {
  let crashes = 0;
  const server = createServer((req, res) => {
    if (req.headers['vendor-beta'] !== 'assistants=v1') {
      res.end('{}');
      return;
    }
    crashes += 1;
    const { port } = server.address() as AddressInfo; // as: it listens on a port
    server.close(() => setTimeout(() => server.listen(port, '127.0.0.1'), 100));
    server.closeAllConnections();
  });
  const { session } = openSession(await listen(server));
  const call = async (variant: 'v1' | 'v2') => {
    const input = { variant, body: { metadata: {} } };
    return (await session.sendCall({ scenario: 'a' }, 'createThread', input)).response?.status;
  };
  expect([await call('v1'), await call('v1'), await call('v2')]).toEqual([undefined, undefined, 200]);
  expect(crashes).toBe(2);
});
