import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { parseBaseUrl } from '../configuration/base-url.ts';
import { Target } from './target.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port; // as: a TCP server that listens has a port
}

test('the proxy of the environment is used for a host that is not loopback', async () => {
  const service = await listen(createServer((_, response) => response.end('{}')));
  const connectTargets: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    connectTargets.push(request.url);
    const upstream = connect(service, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('close', () => upstream.destroy());
  });
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${await listen(proxy)}`);
  vi.stubEnv('http_proxy', undefined);
  vi.stubEnv('NO_PROXY', undefined);
  vi.stubEnv('no_proxy', undefined);
  const limits = {
    connect: 5000,
    headers: 5000,
    idle: 5000,
    whole: 5000,
    bodyBytes: 1000,
    streamBytes: 1000,
  };
  const target = new Target(parseBaseUrl('http://service.test'), limits);
  closers.unshift(() => target.close());
  const { response } = await target.send({ method: 'GET', target: '/v1/models', headers: [], body: null });
  expect([response?.status, connectTargets]).toEqual([200, ['service.test:80']]);
});
