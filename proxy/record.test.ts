import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/read.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import { type Recorder, type RecordOptions, record } from './record.ts';
import { bodyOf, dial, raw, signal, type TestUpstream, upstream } from './testing/upstream.ts';

let root: string;
let service: TestUpstream | null = null;
let recorder: Recorder | null = null;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-record-'));
});
afterEach(async () => {
  await recorder?.close();
  await service?.close();
  recorder = null;
  service = null;
  rmSync(root, { recursive: true, force: true });
});

const cassette = () => join(root, 'c');

async function through(
  handler: Parameters<typeof upstream>[0],
  options: Partial<RecordOptions> = {},
): Promise<Recorder> {
  service = await upstream(handler);
  recorder = await record({ baseUrl: service.url, cassette: cassette(), ...options });
  return recorder;
}

async function recorded(): Promise<Exchange[]> {
  await recorder?.close();
  recorder = null;
  const { items } = await readTrace(cassette());
  return items.filter((item): item is Exchange => !isNote(item));
}

test('raw header fields, case, order and repeats are recorded and reach both sides', async () => {
  const seen = signal<string[]>();
  const { url } = await through((req, res) => {
    seen.resolve(req.rawHeaders);
    res.sendDate = false;
    res.writeHead(200, 'Fine', ['X-Assay-B', '1', 'x-assay-a', '2', 'X-ASSAY-B', '3', 'Content-Length', '2']);
    res.end('ok');
  });
  const request =
    'GET /v1/models?b=2&a=%20 HTTP/1.1\r\nHost: here\r\nX-Assay-One: 1\r\nx-assay-two: 2\r\n\r\n';
  const answer = await raw(url, request, (text) => text.endsWith('ok'));
  expect(answer.text).toMatch(
    /^HTTP\/1\.1 200 Fine\r\nX-Assay-B: 1\r\nx-assay-a: 2\r\nX-ASSAY-B: 3\r\nContent-Length: 2\r\n/,
  );
  const { host } = new URL(url);
  expect(await seen.promise).toEqual(
    expect.arrayContaining(['Host', service && new URL(service.url).host, 'X-Assay-One', 'x-assay-two']),
  );
  const [exchange] = await recorded();
  expect(exchange).toMatchObject({
    request: { method: 'GET', target: '/v1/models?b=2&a=%20' },
    response: {
      status: 200,
      reason: 'Fine',
      headers: [
        ['X-Assay-B', '1'],
        ['x-assay-a', '2'],
        ['X-ASSAY-B', '3'],
        ['Content-Length', '2'],
        expect.anything(),
        expect.anything(),
      ],
    },
    end: { how: 'complete' },
  });
  expect(host).not.toBe('here');
});

test('bodies pass both ways, small and large, and are recorded', async () => {
  const { url } = await through(async (req, res) => res.end(await bodyOf(req)));
  for (const size of [0, 1, 5_000, 300_000]) {
    const body = 'x'.repeat(size);
    const answer = await fetch(`${url}/files`, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
  }
  const sizes = (await recorded()).map(({ request, response }) => [
    request.body.size,
    response?.body.text?.length,
  ]);
  expect(sizes).toEqual([
    [0, 0],
    [1, 1],
    [5_000, 5_000],
    [300_000, 300_000],
  ]);
});

test('a stream reaches the client piece by piece', async () => {
  const next = [signal(), signal()];
  const { url } = await through(async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: 1\n\n');
    await next[0]?.promise;
    res.write('data: 2\n\n');
    await next[1]?.promise;
    res.end('data: [DONE]\n\n');
  });
  const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{}' });
  const reader = answer.body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  // Each piece is asked for before the next one is sent.
  expect(await read()).toBe('data: 1\n\n');
  next[0]?.resolve();
  expect(await read()).toBe('data: 2\n\n');
  next[1]?.resolve();
  expect(await read()).toBe('data: [DONE]\n\n');
  expect((await reader?.read())?.done).toBe(true);
  const [exchange] = await recorded();
  expect(exchange?.response?.pieces.map(({ offset }) => offset)).toEqual([0, 9, 18]);
});

describe('endings', () => {
  test('a client that leaves closes the upstream, and is recorded as leaving', async () => {
    const closed = signal();
    const { url } = await through((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
      res.on('close', () => closed.resolve());
    });
    const abort = new AbortController();
    const answer = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: '{}',
      signal: abort.signal,
    });
    await answer.body?.getReader().read();
    abort.abort();
    await closed.promise;
    const [exchange] = await recorded();
    expect(exchange).toMatchObject({
      end: { how: 'client-abort' },
      response: { body: { text: 'data: 1\n\n' } },
    });
  });

  test('an upstream that dies in mid-body reaches the client as a broken body', async () => {
    const { url } = await through((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n', () => res.socket?.resetAndDestroy());
    });
    const answer = await raw(url, 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer.text).toMatch(/9\r\ndata: 1\n\n\r\n$/);
    expect(
      await fetch(`${url}/models`)
        .then((res) => res.text())
        .catch((error: Error) => error.message),
    ).toBe('terminated');
    const [first, second] = await recorded();
    for (const exchange of [first, second]) {
      expect(exchange).toMatchObject({
        end: { how: 'upstream-reset', detail: 'ECONNRESET' },
        response: { status: 200 },
      });
    }
  });

  test('an upstream that is not there is answered for', async () => {
    const { url } = await through(() => {});
    await service?.close();
    service = null;
    const answer = await fetch(`${url}/models`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ error: { code: 'upstream_unreachable' } });
    const [exchange] = await recorded();
    expect(exchange).toMatchObject({
      response: null,
      end: { how: 'upstream-reset', detail: 'ECONNREFUSED' },
    });
  });

  test('an upstream that says nothing is given up', async () => {
    const { url } = await through(() => {}, { timeout: 0.05 });
    expect((await fetch(`${url}/models`)).status).toBe(504);
    const [exchange] = await recorded();
    expect(exchange).toMatchObject({ response: null, end: { how: 'upstream-timeout' } });
  });

  test('what is under way when the recorder stops is kept as far as it came', async () => {
    const { url } = await through((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
    });
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{}' });
    await answer.body?.getReader().read();
    const [exchange] = await recorded();
    expect(exchange).toMatchObject({
      end: { how: 'recorder-killed' },
      response: { body: { text: 'data: 1\n\n' } },
    });
  });
});

describe('the ways of HTTP', () => {
  test('HEAD, 204 and 304 have no body', async () => {
    const { url } = await through((req, res) => {
      if (req.method === 'HEAD') res.writeHead(200, { 'content-length': 7 }).end();
      else res.writeHead(req.url === '/v1/a' ? 204 : 304).end();
    });
    expect((await fetch(`${url}/x`, { method: 'HEAD' })).headers.get('content-length')).toBe('7');
    expect((await fetch(`${url}/a`)).status).toBe(204);
    expect((await fetch(`${url}/b`)).status).toBe(304);
    const exchanges = await recorded();
    expect(exchanges.map(({ response }) => [response?.status, response?.body.size])).toEqual([
      [200, 0],
      [204, 0],
      [304, 0],
    ]);
  });

  test('a client that expects 100 Continue hears it from the upstream', async () => {
    const { url } = await through((req, res) => void bodyOf(req).then((body) => res.end(body)));
    const go = signal();
    service?.server.on('checkContinue', async (req, res) => {
      await go.promise;
      res.writeContinue();
      res.end(await bodyOf(req));
    });
    const socket = dial(url);
    socket.write('POST /v1/files HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n');
    let text = '';
    const done = signal();
    socket.on('data', (piece) => {
      text += piece;
      if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('hello');
      if (text.endsWith('hello')) done.resolve();
    });
    go.resolve();
    await done.promise;
    socket.destroy();
    const [exchange] = await recorded();
    expect(exchange).toMatchObject({
      request: { body: { text: 'hello' } },
      response: { body: { text: 'hello' } },
    });
  });

  test('a final answer instead of 100 Continue ends the exchange', async () => {
    const { url } = await through(() => {});
    service?.server.on('checkContinue', (_req, res) => res.writeHead(417).end());
    const answer = await raw(
      url,
      'POST /v1/files HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
      (text) => text.includes('\r\n\r\n'),
    );
    expect(answer.text).toContain('HTTP/1.1 417');
    const [exchange] = await recorded();
    expect(exchange).toMatchObject({
      response: { status: 417 },
      request: { body: { size: 0 } },
      end: { how: 'complete' },
    });
  });

  test('trailers are passed on and recorded', async () => {
    const { url } = await through((_req, res) => {
      res.writeHead(200, { Trailer: 'X-Assay-Sum' });
      res.write('a');
      res.addTrailers({ 'X-Assay-Sum': '9' });
      res.end();
    });
    const answer = await raw(url, 'GET /v1/a HTTP/1.1\r\nHost: x\r\n\r\n', (text) =>
      text.includes('Sum: 9\r\n\r\n'),
    );
    expect(answer.text).toContain('0\r\nX-Assay-Sum: 9\r\n');
    const [exchange] = await recorded();
    expect(exchange?.response?.trailers).toEqual([['X-Assay-Sum', '9']]);
  });

  test('redirects are answers like any other, and the path goes through untouched', async () => {
    const { url } = await through((req, res) => res.writeHead(302, { location: `${req.url}/next` }).end());
    const path = '/v1//odd/%2e%2e/a?x=//y&&z';
    const answer = await raw(url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, (text) =>
      text.includes('\r\n\r\n'),
    );
    expect(answer.text).toContain(`location: ${path}/next`);
    const [exchange] = await recorded();
    expect(exchange?.request.target).toBe(path);
  });

  test('an upgraded connection passes, unrecorded but for a note', async () => {
    const { url } = await through(() => {});
    service?.server.on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.pipe(socket);
    });
    const socket = dial(url);
    socket.write('GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const done = signal();
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
      if (text.endsWith('\r\n\r\n')) socket.write('ping');
      if (text.endsWith('ping')) done.resolve();
    });
    await done.promise;
    socket.destroy();
    await recorder?.close();
    recorder = null;
    const { items } = await readTrace(cassette());
    expect(items).toMatchObject([{ note: 'remark', message: expect.stringContaining('/v1/realtime') }]);
  });

  test('an offer of another protocol is an ordinary request', async () => {
    const { url } = await through(async (req, res) => res.end(`${req.headers.upgrade} ${await bodyOf(req)}`));
    const offer =
      'POST /v1/a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc';
    const socket = dial(url);
    const done = signal();
    let text = '';
    socket.write(offer);
    socket.on('data', (piece) => {
      text += piece;
      const answers = text.split('undefined abc').length - 1;
      if (answers === 1) socket.write(offer);
      if (answers === 2) done.resolve();
    });
    await done.promise;
    socket.destroy();
    expect(await recorded()).toHaveLength(2);
  });
});

test('a key put in on the way never reaches the client or the disk', async () => {
  const key = 'sk-upstream-0123456789';
  const { url } = await through((req, res) => res.end(`you are ${req.headers.authorization}`), { key });
  const answer = await fetch(`${url}/models`, { headers: { authorization: 'Bearer of nothing' } });
  expect(await answer.text()).toBe(`you are Bearer ${key}`);
  const [exchange] = await recorded();
  expect(exchange?.request.headers).toContainEqual(['Authorization', 'Bearer redacted_1_xxxxxxxxxxx']);
  expect(exchange?.response?.body.text).toBe('you are Bearer redacted_1_xxxxxxxxxxx');
});

test('a slow client holds the upstream back', async () => {
  const total = 64 * 1024 * 1024;
  let written = 0;
  const stalled = signal();
  const closed = signal();
  const { url } = await through((_req, res) => {
    const piece = Buffer.alloc(256 * 1024);
    res.on('close', () => closed.resolve());
    const write = () => {
      while (written < total) {
        written += piece.length;
        if (!res.write(piece)) {
          res.once('drain', write);
          stalled.resolve();
          return;
        }
      }
      res.end();
    };
    write();
  });
  const socket = dial(url);
  socket.write('GET /v1/files/f/content HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.pause();
  await stalled.promise;
  // Nothing reads: however often the event loop turns, most of the body stays where it is.
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
  expect(written).toBeLessThan(total / 2);
  socket.destroy();
  await closed.promise;
  const [exchange] = await recorded();
  expect(exchange?.end.how).toBe('client-abort');
});
