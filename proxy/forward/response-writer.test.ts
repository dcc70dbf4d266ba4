import { afterEach, expect, test } from 'vitest';
import { headerPairs } from '../../exchange/http/headers.ts';
import { UrlRewriter } from '../http/url-rewriter.ts';
import { startUpstream, type TestUpstream } from '../testing/upstream.ts';
import { ResponseWriter } from './response-writer.ts';

const rewriter = new UrlRewriter({
  proxyOrigin: () => 'http://127.0.0.1:1',
  serviceOrigin: null,
  allows: () => true,
});

let proxy: TestUpstream | null = null;
afterEach(async () => {
  await proxy?.close();
  proxy = null;
});

async function countReceivedBytes(size: number, finish: (writer: ResponseWriter) => void): Promise<number> {
  const body = Buffer.alloc(size, ' ');
  body.write('{}');
  proxy = await startUpstream((req, res) => {
    const writer = new ResponseWriter(req, res, rewriter);
    const raw = ['Content-Type', 'application/json', 'Content-Length', String(size)];
    writer.begin({ status: 200, reason: 'OK', headers: headerPairs(raw) }, raw);
    writer.write(body.subarray(0, size / 2));
    writer.write(body.subarray(size / 2));
    finish(writer);
  });
  return (await (await fetch(proxy.url)).arrayBuffer()).byteLength;
}

test.each([
  ['that is held to rewrite its URLs', 1024],
  ['that is too large to rewrite its URLs', 18 * 1024 * 1024],
])('a body %s is complete only once the response is ended', async (_, size) => {
  expect(await countReceivedBytes(size, (writer) => writer.end([]))).toBe(size);
  await proxy?.close();
  await expect(countReceivedBytes(size, (writer) => writer.cut())).rejects.toThrow();
});
