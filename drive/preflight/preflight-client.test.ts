import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { configureForTarget } from '../configuration/configuration.ts';
import { readSettings } from '../configuration/settings.ts';
import { PreflightClient } from './preflight-client.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openClient(statuses: readonly number[]): Promise<PreflightClient> {
  const remaining = [...statuses];
  const server = createServer((_req, res) => {
    const status = remaining.shift() ?? 200;
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(status === 200 ? '{"object":"list","data":[]}' : '{"error":{"message":"Loading model"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const flags = { baseUrl: `http://127.0.0.1:${port}/v1`, timeout: 5 };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const client = new PreflightClient(configureForTarget(settings, null));
  closers.push(() => client.close());
  return client;
}

test('a target that responds with 503, 502 or 504 is waited for, and a reason is reported when it changes', async () => {
  const client = await openClient([503, 503, 502, 504]);
  const reasons: string[] = [];
  const { signal } = new AbortController();
  expect(await client.awaitTarget(10, signal, (why) => reasons.push(why))).toBeNull();
  expect([client.status, reasons]).toEqual([
    200,
    ['it answers 503 Service Unavailable', 'it answers 502 Bad Gateway', 'it answers 504 Gateway Timeout'],
  ]);
});

test('a target that keeps responding with 503 is not ready when the wait is over', async () => {
  const client = await openClient(Array.from({ length: 50 }, () => 503));
  const { signal } = new AbortController();
  expect(await client.awaitTarget(0.3, signal)).toBe('it answers 503 Service Unavailable');
});

test('without a wait, any response shows that the target is there', async () => {
  const client = await openClient([503]);
  expect(await client.awaitTarget(0, new AbortController().signal)).toBeNull();
});
