import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { headerPairs } from '../../exchange/http/headers.ts';
import { sendRequest } from './send-request.ts';
import { listen } from './server.ts';
import { parseUpstream } from './upstream.ts';

test('a request without a body has a length of 0 where its method usually has content, and never empty chunks', async () => {
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
    expect(await fetchFraming('POST')).toEqual([['Content-Length', '0']]);
    expect(await fetchFraming('POST', '{}')).toEqual([['Content-Length', '2']]);
    expect(await fetchFraming('GET')).toEqual([]);
    expect(await fetchFraming('DELETE')).toEqual([]);
  } finally {
    await close();
  }
});
