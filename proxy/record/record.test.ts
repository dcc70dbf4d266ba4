import { describe, expect, test } from 'vitest';
import type { TraceItem } from '../../exchange/trace.ts';
import { deferred } from '../testing/deferred.ts';
import { connectTo, sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';

const fixture = createRecordFixture();
const { start, readExchanges } = fixture;

test('header fields are recorded as sent, and reach both sides with their case, order and repeats', async () => {
  const seen = deferred<string[]>();
  const { url } = await start((req, res) => {
    seen.resolve(req.rawHeaders);
    res.sendDate = false;
    res.writeHead(200, 'Fine', ['X-Assay-B', '1', 'x-assay-a', '2', 'X-ASSAY-B', '3', 'Content-Length', '2']);
    res.end('ok');
  });
  const request =
    'GET /v1/models?b=2&a=%20 HTTP/1.1\r\nHost: here\r\nX-Assay-Two: 1\r\nX-Assay-Two: 3\r\nx-assay-one: 2\r\n\r\n';
  const answer = await sendRaw(url, request, (text) => text.endsWith('ok'));
  expect(answer.text).toMatch(
    /^HTTP\/1\.1 200 Fine\r\nX-Assay-B: 1\r\nx-assay-a: 2\r\nX-ASSAY-B: 3\r\nContent-Length: 2\r\n/,
  );
  const received = await seen.promise;
  expect(received).toEqual(expect.arrayContaining(['Host', fixture.serviceHost()]));
  expect(received).not.toContain('here');
  const sent = [
    ['X-Assay-Two', '1'],
    ['X-Assay-Two', '3'],
    ['x-assay-one', '2'],
  ];
  const first = received.indexOf('X-Assay-Two');
  expect(received.slice(first, first + 6)).toEqual(sent.flat());
  const [exchange] = await readExchanges();
  expect(exchange?.request.headers.filter(([name]) => /^x-assay/i.test(name))).toEqual(sent);
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
        ['Connection', 'keep-alive'],
      ],
    },
    end: { how: 'complete' },
  });
});

test('bodies pass in both directions, small and large, and are recorded', async () => {
  const { url } = await start(async (req, res) => res.end(await requestBodyOf(req)));
  for (const size of [0, 1, 5_000, 300_000]) {
    const body = 'x'.repeat(size);
    const answer = await fetch(`${url}/files`, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
  }
  const sizes = (await readExchanges()).map(({ request, response }) => [
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
  const next = [deferred(), deferred()];
  const { url } = await start(async (_req, res) => {
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
  expect(await read()).toBe('data: 1\n\n');
  next[0]?.resolve();
  expect(await read()).toBe('data: 2\n\n');
  next[1]?.resolve();
  expect(await read()).toBe('data: [DONE]\n\n');
  expect((await reader?.read())?.done).toBe(true);
  const [exchange] = await readExchanges();
  expect(exchange?.response?.pieces.map(({ offset }) => offset)).toEqual([0, 9, 18]);
});

describe('endings', () => {
  test('a client that disconnects closes the upstream connection, and the abort is recorded', async () => {
    const closed = deferred();
    const { url } = await start((_req, res) => {
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
    const [exchange] = await readExchanges();
    expect(exchange).toMatchObject({
      end: { how: 'client-abort' },
      response: { body: { text: 'data: 1\n\n' } },
    });
  });

  test('an upstream that dies mid-body gives the client a truncated body', async () => {
    const { url } = await start((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n', () => res.socket?.resetAndDestroy());
    });
    const answer = await sendRaw(url, 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer.text).toMatch(/9\r\ndata: 1\n\n\r\n$/);
    expect(
      await fetch(`${url}/models`)
        .then((res) => res.text())
        .catch((error: Error) => error.message),
    ).toBe('terminated');
    const [first, second] = await readExchanges();
    for (const exchange of [first, second]) {
      expect(exchange).toMatchObject({
        end: { how: 'upstream-reset', detail: 'ECONNRESET' },
        response: { status: 200 },
      });
    }
  });

  test('an upstream that does not exist gives an error response', async () => {
    const { url } = await start(() => {});
    await fixture.stopService();
    const answer = await fetch(`${url}/models`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ error: { code: 'upstream_unreachable' } });
    const [exchange] = await readExchanges();
    expect(exchange).toMatchObject({
      response: null,
      end: { how: 'upstream-reset', detail: 'ECONNREFUSED' },
    });
  });

  test('an upstream that stays silent times out', async () => {
    const { url } = await start(() => {}, { timeout: 0.05 });
    expect((await fetch(`${url}/models`)).status).toBe(504);
    const [exchange] = await readExchanges();
    expect(exchange).toMatchObject({ response: null, end: { how: 'upstream-timeout' } });
  });

  test('an exchange in flight when the recorder stops is kept as far as it was received', async () => {
    const { url } = await start((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
    });
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{}' });
    await answer.body?.getReader().read();
    const [exchange] = await readExchanges();
    expect(exchange).toMatchObject({
      end: { how: 'recorder-killed' },
      response: { body: { text: 'data: 1\n\n' } },
    });
  });
});

test('a key that the proxy adds replaces the one of the client, and is redacted in the cassette', async () => {
  const key = 'sk-upstream-0123456789';
  const { url } = await start((req, res) => res.end(`you are ${req.headers.authorization}`), { key });
  const answer = await fetch(`${url}/models`, { headers: { authorization: 'Bearer of nothing' } });
  expect(await answer.text()).toBe(`you are Bearer ${key}`);
  const [exchange] = await readExchanges();
  expect(exchange?.request.headers).toContainEqual(['Authorization', 'Bearer redacted_1_xxxxxxxxxxx']);
  expect(exchange?.response?.body.text).toBe('you are Bearer redacted_1_xxxxxxxxxxx');
});

test('a slow client slows the upstream down', async () => {
  const total = 64 * 1024 * 1024;
  let written = 0;
  const stalled = deferred();
  const closed = deferred();
  const { url } = await start((_req, res) => {
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
  const socket = connectTo(url);
  socket.write('GET /v1/files/f/content HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.pause();
  await stalled.promise;
  // Nothing reads the response: however often the event loop turns, most of the body stays in the service.
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
  expect(written).toBeLessThan(total / 2);
  socket.destroy();
  await closed.promise;
  const [exchange] = await readExchanges();
  expect(exchange?.end.how).toBe('client-abort');
});

test('onItem gets a note that the caller stores, and each exchange', async () => {
  const items: TraceItem[] = [];
  const recorder = await start((_req, res) => res.end('ok'), { onItem: (item) => items.push(item) });
  const note = recorder.note({ note: 'remark', message: 'first' });
  await (await fetch(`${recorder.url}/models`)).text();
  expect(items).toMatchObject([note, { request: { target: '/v1/models' } }]);
});
