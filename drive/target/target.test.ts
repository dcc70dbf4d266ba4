import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { parseBaseUrl } from '../configuration/base-url.ts';
import { type ExchangeLimits, type IncomingResponse, type OutgoingRequest, Target } from './target.ts';

const defaultLimits: ExchangeLimits = {
  connect: 5_000,
  headers: 5_000,
  idle: 5_000,
  total: 10_000,
  bodyBytes: 1 << 20,
  streamBytes: 1 << 16,
};
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server | ReturnType<typeof createTcp>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // as: a listening TCP server has a port
  return `http://127.0.0.1:${port}`;
}

function serveHttp(answer: RequestListener): Promise<string> {
  return listen(createServer(answer));
}

async function serveRaw(respond: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
  });
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  });
  return listen(server);
}

function openTarget(url: string, changes: Partial<ExchangeLimits> = {}): Target {
  const opened = new Target(parseBaseUrl(url), { ...defaultLimits, ...changes });
  closers.push(() => opened.close());
  return opened;
}

function sendGet(
  opened: Target,
  more: Partial<OutgoingRequest> = {},
  stop?: AbortSignal,
): Promise<IncomingResponse> {
  return opened.send({ method: 'GET', target: '/v1/models', headers: [], body: null, ...more }, stop);
}

test('a target keeps case, order and repeats of received header fields', async () => {
  const url = await serveRaw((socket) => {
    socket.end(
      'HTTP/1.1 200 Fine\r\nX-Odd: 1\r\nset-cookie: a\r\nSet-Cookie: b\r\nContent-Length: 2\r\n\r\n{}',
    );
  });
  const { response, end } = await sendGet(openTarget(url));
  expect(response?.headers).toEqual([
    ['X-Odd', '1'],
    ['set-cookie', 'a'],
    ['Set-Cookie', 'b'],
    ['Content-Length', '2'],
  ]);
  expect([response?.status, response?.reason, response?.body.text, end.how]).toEqual([
    200,
    'Fine',
    '{}',
    'complete',
  ]);
});

test('a target sends the header fields that `sentHeaders` returns, with their case, order and repeats', async () => {
  let received: string[] = [];
  const url = await serveHttp((request, response) => {
    received = request.rawHeaders;
    response.end();
  });
  const opened = openTarget(url);
  const headers = [
    ['X-Mixed', 'b'],
    ['x-mixed', 'a'],
    ['X-Mixed', 'b'],
  ] as const;
  const outgoing = { method: 'POST', target: '/v1/x', headers, body: Buffer.from('ab') } as const;
  await opened.send(outgoing);
  expect(received).toEqual(opened.sentHeaders(outgoing).flat());
  expect(received.slice(4)).toEqual([...headers.flat(), 'content-length', '2']);
});

test('`sentHeaders` returns the host and connection of the user as they are sent, and no length of a GET', async () => {
  let received: string[] = [];
  const url = await serveHttp((request, response) => {
    received = request.rawHeaders;
    response.end();
  });
  const headers = [['X-Mixed', 'b'], ['Content-Length', '5'], ['Connection', 'Close'], ['Host', 'a.test']] as const; // biome-ignore format: one line
  const opened = openTarget(url);
  const outgoing = { method: 'GET', target: '/v1/x', headers, body: null } as const;
  await opened.send(outgoing);
  expect(received).toEqual(['host', 'a.test', 'connection', 'close', 'X-Mixed', 'b']);
  expect(opened.sentHeaders(outgoing).flat()).toEqual(received);
});

test('a target replaces a wrong length of the user with that of the body', async () => {
  const received: [length: string | undefined, body: string][] = [];
  const url = await serveHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push([request.headers['content-length'], body]);
    response.end();
  });
  const opened = openTarget(url);
  const outgoing = { method: 'POST', target: '/v1/x', headers: [['Content-Length', '5']] } as const;
  const chunks = async function* () {
    yield Buffer.from('ab');
  };
  const bodies = [Buffer.from('ab'), { size: 2, chunks: chunks() }];
  for (const body of bodies) {
    const { response, end } = await opened.send({ ...outgoing, body });
    expect([response?.status, end.detail]).toEqual([200, null]);
  }
  expect(received).toEqual([
    ['2', 'ab'],
    ['2', 'ab'],
  ]);
});

test.each(['', '/v1', '/v1/', '/'])('a target accepts a base URL that ends in %j', async (suffix) => {
  const paths: (string | undefined)[] = [];
  const url = await serveHttp((request, response) => {
    paths.push(request.url);
    response.end();
  });
  await sendGet(openTarget(url + suffix));
  await sendGet(openTarget(`${url}/under${suffix}`));
  expect(paths).toEqual(['/v1/models', '/under/v1/models']);
});

test('a target keeps each piece with its offset and time', async () => {
  const url = await serveHttp((_request, response) => {
    response.write('one');
    setTimeout(() => response.end('three'), 100);
  });
  const { response } = await sendGet(openTarget(url));
  expect(response?.body.text).toBe('onethree');
  const [first, second] = response?.pieces ?? [];
  expect([first?.offset, second?.offset]).toEqual([0, 3]);
  expect(second?.at).toBeGreaterThan(first?.at ?? Number.POSITIVE_INFINITY);
});

test('a target keeps the trailers', async () => {
  const url = await serveHttp((_request, response) => {
    response.writeHead(200, { trailer: 'X-Sum' });
    response.write('one');
    response.addTrailers({ 'X-Sum': '7' });
    response.end();
  });
  expect((await sendGet(openTarget(url))).response?.trailers).toEqual([['X-Sum', '7']]);
});

test('a target follows no redirect', async () => {
  const url = await serveHttp((_, response) => void response.writeHead(302, { location: '/v1/other' }).end());
  expect((await sendGet(openTarget(url))).response?.status).toBe(302);
});

test('a target decodes nothing', async () => {
  const packed = gzipSync('{}');
  const url = await serveHttp(
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  );
  expect((await sendGet(openTarget(url))).response?.body.bytes).toEqual(packed);
});

test('a target keeps what arrived before a reset in a stream', async () => {
  const url = await serveHttp((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {}\n\n', () => response.socket?.resetAndDestroy());
  });
  const { response, end } = await sendGet(openTarget(url));
  expect([response?.body.text, end.how]).toEqual(['data: {}\n\n', 'upstream-reset']);
});

test('a target reports a truncated body as a reset', async () => {
  const url = await serveRaw((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":'),
  );
  const { response, end } = await sendGet(openTarget(url));
  expect([response?.body.text, end.how]).toEqual(['{"half":', 'upstream-reset']);
});

test.each([
  ['text/event-stream', 1 << 16],
  ['application/octet-stream', 1 << 20],
])('a target aborts an endless body of %s by size', async (type, limit) => {
  const url = await serveHttp((_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 14))) {}
      response.once('drain', more);
    };
    more();
  });
  const { response, end } = await sendGet(openTarget(url));
  expect(end).toMatchObject({
    how: 'upstream-timeout',
    detail: `body exceeds ${limit} bytes and has not ended`,
  });
  expect(response?.body.size).toBeGreaterThan(limit);
  expect(response?.body.size).toBeLessThan(2 * limit);
});

test.each<
  [what: string, limits: Partial<ExchangeLimits>, listener: RequestListener, detail: string, text?: string]
>([
  ['without a status line', { headers: 30 }, () => {}, 'no status line within 0.03 s'],
  ['on silence', { idle: 30 }, (_, response) => void response.write('a'), 'silent for 0.03 s', 'a'],
])('a target times out %s', async (_, limits, listener, detail, text) => {
  const { response, end } = await sendGet(openTarget(await serveHttp(listener), limits));
  expect([end.how, end.detail]).toEqual(['upstream-timeout', detail]);
  expect(response?.body.text).toBe(text);
});

test('a target times out on an endless response', async () => {
  const url = await serveHttp((_request, response) => {
    const timer = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(timer));
  });
  const { end } = await sendGet(openTarget(url, { total: 60 }));
  expect(end).toMatchObject({ how: 'upstream-timeout', detail: 'not complete within 0.06 s' });
});

async function serveOpenResponses() {
  const closed: Promise<unknown>[] = [];
  const url = await serveHttp((request, response) => {
    closed.push(new Promise((resolve) => response.on('close', resolve)));
    response.writeHead(200);
    if (request.url === '/v1/models') response.write('abcdef');
    else response.flushHeaders();
  });
  return { url, closed };
}

test('a target aborts after the requested number of bytes, and closes the connection', async () => {
  const { url, closed } = await serveOpenResponses();
  const { response, end } = await sendGet(openTarget(url), { abortAfter: 3 });
  expect([end.how, response?.body.text]).toEqual(['client-abort', 'abcdef']);
  await Promise.all(closed);
});

test('a target aborts when the run is stopped, and sends nothing afterwards', async () => {
  const { url, closed } = await serveOpenResponses();
  const opened = openTarget(url);
  const stop = new AbortController();
  const waiting = sendGet(opened, { target: '/v1/slow' }, stop.signal);
  await vi.waitUntil(() => closed.length === 1, { interval: 5 });
  stop.abort();
  expect((await waiting).end).toMatchObject({ how: 'client-abort', detail: 'the run was stopped' });
  expect((await sendGet(opened, {}, stop.signal)).end.how).toBe('client-abort');
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
});

test('a target distinguishes a port without a server from a connection that breaks', async () => {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const nothing = await sendGet(openTarget(url));
  expect(nothing).toMatchObject({ response: null, isUnreachable: true, end: { how: 'upstream-reset' } });
  expect(nothing.end.detail).toContain('ECONNREFUSED');

  const dying = await serveRaw((socket) => socket.resetAndDestroy());
  expect(await sendGet(openTarget(dying))).toMatchObject({
    response: null,
    isUnreachable: false,
    end: { how: 'upstream-reset' },
  });
});

test('a target reports a response that is not HTTP as a reset with the reason', async () => {
  const url = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  const { response, end } = await sendGet(openTarget(url));
  expect([response, end.how]).toEqual([null, 'upstream-reset']);
  expect(end.detail).toContain('does not match the HTTP/1.1 protocol');
});
