import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { headerPairs } from '../../exchange/http/headers.ts';
import { ClosedConnection, sendRequest } from './send-request.ts';
import { listen } from './server.ts';
import { parseUpstream } from './upstream.ts';

test('a request has a Content-Length if it has a body or its method usually has content, and is never chunked', async () => {
  const server = createServer((req, res) => {
    const framing = headerPairs(req.rawHeaders).filter(([name]) =>
      /^(?:content-length|transfer-encoding)$/i.test(name),
    );
    res.end(JSON.stringify(framing));
  });
  const { address, close } = await listen(server, { host: '127.0.0.1', port: 0 });
  const upstream = parseUpstream(`http://127.0.0.1:${address.port}/v1`);
  const fetchFraming = async (method: string, body = '') => {
    const request = { method, target: '/v1/threads', headers: [], body: Buffer.from(body) };
    const { body: received } = await sendRequest(upstream, request, 0);
    return JSON.parse(Buffer.from(received.bytes ?? []).toString());
  };
  try {
    for (const method of ['POST', 'PUT', 'PATCH'])
      expect(await fetchFraming(method)).toEqual([['Content-Length', '0']]);
    expect(await fetchFraming('POST', '{}')).toEqual([['Content-Length', '2']]);
    expect(await fetchFraming('GET')).toEqual([]);
    expect(await fetchFraming('DELETE')).toEqual([]);
  } finally {
    await close();
  }
});

test('a reset within the body of a response is no ClosedConnection, so the request is not sent again', async () => {
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    if (req.url === '/v1/models') res.end('{}');
    else res.write('part', () => setImmediate(() => res.socket?.resetAndDestroy()));
  });
  const { address, close } = await listen(server, { host: '127.0.0.1', port: 0 });
  const upstream = parseUpstream(`http://127.0.0.1:${address.port}/v1`);
  const send = (target: string) =>
    sendRequest(upstream, { method: 'GET', target, headers: [], body: new Uint8Array(0) }, 0);
  try {
    // The next request reuses the connection of this one.
    await send('/v1/models');
    const error: unknown = await send('/v1/cut').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ClosedConnection);
    expect(requests).toBe(2);
  } finally {
    await close();
  }
});
