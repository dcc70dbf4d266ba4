import { expect, test } from 'vitest';
import { deferred } from '../testing/deferred.ts';
import { connectTo, sendExpecting, sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';

const fixture = createRecordFixture();
const { start, readExchanges } = fixture;

test('HEAD, 204 and 304 have no body', async () => {
  const { url } = await start((req, res) => {
    if (req.method === 'HEAD') res.writeHead(200, { 'content-length': 7 }).end();
    else res.writeHead(req.url === '/v1/a' ? 204 : 304).end();
  });
  expect((await fetch(`${url}/x`, { method: 'HEAD' })).headers.get('content-length')).toBe('7');
  expect((await fetch(`${url}/a`)).status).toBe(204);
  expect((await fetch(`${url}/b`)).status).toBe(304);
  const exchanges = await readExchanges();
  expect(exchanges.map(({ response }) => [response?.status, response?.body.size])).toEqual([
    [200, 0],
    [204, 0],
    [304, 0],
  ]);
});

test('no Keep-Alive header announces an idle timeout, because only clients close idle connections', async () => {
  const { url } = await start((_, res) => res.end('ok'));
  const request = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n';
  const { text } = await sendRaw(url, request, (received) => received.includes('ok'));
  expect(text).toMatch(/^Connection: keep-alive\r$/m);
  expect(text).not.toMatch(/^Keep-Alive:/im);
});

test('a client that expects 100 Continue gets it from the upstream', async () => {
  const { url } = await start(() => {});
  fixture.server().on('checkContinue', async (req, res) => {
    res.writeContinue();
    res.end(await requestBodyOf(req));
  });
  const head =
    'POST /v1/files HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n';
  const { text } = await sendExpecting(url, head, 'hello');
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhello$/);
  const [exchange] = await readExchanges();
  expect(exchange).toMatchObject({
    request: { body: { text: 'hello' } },
    response: { body: { text: 'hello' } },
  });
});

test('the body of a client that stops waiting for 100 Continue reaches a service that never sends 100 Continue', async () => {
  const { url } = await start(() => {});
  const waiting = deferred();
  fixture.server().on('checkContinue', async (req, res) => {
    waiting.resolve();
    res.end(await requestBodyOf(req));
  });
  const socket = connectTo(url);
  socket.write('POST /v1/files HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n');
  await waiting.promise;
  let text = '';
  const done = deferred();
  socket.on('data', (piece) => {
    text += piece;
    if (text.endsWith('hello')) done.resolve();
  });
  socket.write('hello');
  await done.promise;
  socket.destroy();
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  const [exchange] = await readExchanges();
  expect(exchange).toMatchObject({
    request: { body: { text: 'hello' } },
    response: { body: { text: 'hello' } },
    end: { how: 'complete' },
  });
});

test('a final response instead of 100 Continue ends the exchange', async () => {
  const { url } = await start(() => {});
  fixture.server().on('checkContinue', (_req, res) => res.writeHead(417).end());
  const answer = await sendRaw(
    url,
    'POST /v1/files HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
    (text) => text.includes('\r\n\r\n'),
  );
  expect(answer.text).toContain('HTTP/1.1 417');
  const [exchange] = await readExchanges();
  expect(exchange).toMatchObject({
    response: { status: 417 },
    request: { body: { size: 0 } },
    end: { how: 'complete' },
  });
});

test('a reset while a client waits for 100 Continue, or after it, is a reset for the client', async () => {
  const { url } = await start(() => {});
  fixture.server().on('checkContinue', (req, res) => {
    if (req.url === '/v1/files') req.socket.resetAndDestroy();
    else {
      res.writeContinue();
      req.once('data', () => req.socket.resetAndDestroy());
    }
  });
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`;
  const reads = ['', 'HTTP/1.1 100 Continue\r\n\r\n'];
  for (const [n, path] of ['/v1/files', '/v1/x'].entries())
    expect(await sendExpecting(url, head(path), 'hello')).toEqual({ text: reads[n], error: 'ECONNRESET' });
  const reset = { response: null, end: { how: 'upstream-reset', detail: 'ECONNRESET' } };
  expect(await readExchanges()).toMatchObject([reset, { ...reset, request: { body: { text: 'hello' } } }]);
});

test('bodies of DELETE arrive unchanged, and are absent if none was sent', async () => {
  const { url } = await start(async (req, res) => {
    const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
    res.end(`${length} ${coding} ${await requestBodyOf(req)}`);
  });
  const heads = [
    'Content-Length: 2\r\n\r\nab',
    'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
    '\r\n',
  ];
  const answers = ['2 undefined ab', 'undefined chunked ab', 'undefined undefined '];
  for (const [i, head] of heads.entries()) {
    const answer = await sendRaw(url, `DELETE /v1/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}`);
    expect(answer.text.split('\r\n\r\n')[1]).toBe(answers[i]);
  }
});

test('trailers of a response are passed on and recorded', async () => {
  const { url } = await start((_req, res) => {
    res.writeHead(200, { Trailer: 'X-Assay-Sum' });
    res.write('a');
    res.addTrailers({ 'X-Assay-Sum': '9' });
    res.end();
  });
  const answer = await sendRaw(url, 'GET /v1/a HTTP/1.1\r\nHost: x\r\n\r\n', (text) =>
    text.includes('Sum: 9\r\n\r\n'),
  );
  expect(answer.text).toContain('0\r\nX-Assay-Sum: 9\r\n');
  const [exchange] = await readExchanges();
  expect(exchange?.response?.trailers).toEqual([['X-Assay-Sum', '9']]);
});

test.each(['*', 'a://b'])(
  'the request target %s, which has no path, gets 400 and is not forwarded',
  async (target) => {
    const { url } = await start((_req, res) => res.end('ok'));
    const request = `OPTIONS ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(url, request)).text).toMatch(/^HTTP\/1\.1 400 [\s\S]*Invalid request target/);
    expect(await readExchanges()).toEqual([]);
  },
);

test('a redirect is passed on rather than followed, and an unusual path is forwarded unchanged', async () => {
  const { url } = await start((req, res) => res.writeHead(302, { location: `${req.url}/next` }).end());
  const path = '/v1//odd/%2e%2e/a?x=//y&&z';
  const answer = await sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, (text) =>
    text.includes('\r\n\r\n'),
  );
  expect(answer.text).toContain(`location: ${path}/next`);
  const [exchange] = await readExchanges();
  expect(exchange?.request.target).toBe(path);
});

test('trailers of a request reach the service', async () => {
  const { url } = await start(async (req, res) => {
    const body = await requestBodyOf(req);
    res.end(`${body} ${req.rawTrailers.join(' ')}`);
  });
  const { text } = await sendRaw(
    url,
    'POST /v1/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Sum: 9\r\n\r\n',
  );
  expect(text).toContain('ab X-Sum 9');
});
