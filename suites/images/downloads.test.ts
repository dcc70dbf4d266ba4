import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { Call } from '../../judge/trace/call.ts';
import { imageDownloads } from './downloads.ts';

const png = PNG.sync.write(new PNG({ width: 3, height: 2 }));

function createImageCall(url: string): Call {
  const trace = new TraceBuilder();
  trace.add(
    'createImage',
    { body: { prompt: 'a', size: '256x256' } },
    { json: { created: 1, data: [{ url }] } },
  );
  const [first] = trace.exchanges;
  const call = first === undefined ? null : Call.from(first, 'Vendor-Beta');
  if (call === null) throw new Error('The trace does not begin with a call.');
  return call;
}

function downloadOf(call: Call, target: string, after = 1): Exchange {
  const request = { method: 'GET', target, headers: [], body: Body.empty };
  const response = { status: 200, reason: 'OK', headers: [], trailers: [], pieces: [], body: Body.from(png) };
  return { ...call.exchange, id: 'e2', after, ended: 2, request, response };
}

test.each([
  ['http://127.0.0.1:1/v1/images/1.png?a=b', '/v1/images/1.png?a=b'],
  ['http://127.0.0.1:1/api/v1/images/1.png', '/v1/images/1.png'],
  ['http://127.0.0.1:1/pictures/1.png', '/pictures/1.png'],
  ['http://127.0.0.1:1/pictures/1.png?sig=secret', '/pictures/1.png?sig=redacted_x'],
])('a download from %s is evidence for its response', (url, target) => {
  const call = createImageCall(url);
  const collector = imageDownloads.collect();
  expect([...collector.call(call)]).toEqual([]);
  const [found] = [...(collector.download?.(downloadOf(call, target)) ?? [])];
  expect(found?.picture()).toMatchObject({ width: 3, height: 2, damage: null });
  expect(found?.asked).toMatchObject({ size: '256x256' });
});

function countDownloads(calls: readonly Call[], download: Exchange): number {
  const collector = imageDownloads.collect();
  for (const call of calls) collector.call(call);
  return [...(collector.download?.(download) ?? [])].length;
}

test('downloads from other URLs, and downloads that started before the response, are not evidence', () => {
  const call = createImageCall('http://127.0.0.1:1/v1/images/1.png');
  expect(countDownloads([call], downloadOf(call, '/v1/images/2.png'))).toBe(0);
  expect(countDownloads([call], downloadOf(call, '/v1/images/1.png', 0))).toBe(0);
  const inline = createImageCall('data:image/png;base64,AAAA/v1/images/1.png');
  expect(countDownloads([inline], downloadOf(inline, '/v1/images/1.png'))).toBe(0);
});

test('a download from a signed URL is not evidence if several URLs have its path', () => {
  const call = createImageCall('http://127.0.0.1:1/image?sig=one');
  const other = createImageCall('http://127.0.0.1:1/image?sig=two');
  expect(countDownloads([other, call], downloadOf(call, '/image?sig=redacted_x'))).toBe(0);
});

test.each([
  ['the same mask', '/image?sig=redacted_x', 1],
  ['another mask', '/image?sig=redacted_1_x', 0],
])(
  'a download from a URL with a masked signature is evidence if one response has that URL or else its path (%s)',
  (_, target, countWithLonger) => {
    const mask = 'https://a.example/image?sig=redacted_x';
    const call = createImageCall(mask);
    const download = downloadOf(call, target);
    expect(countDownloads([call], download)).toBe(1);
    expect(countDownloads([call, call], download)).toBe(1);
    expect(countDownloads([createImageCall(mask), call], download)).toBe(0);
    expect(countDownloads([createImageCall(`${mask}x`), call], download)).toBe(countWithLonger);
  },
);

test('a signed URL with other parameters on the same path is another resource', () => {
  const call = createImageCall('http://127.0.0.1:1/image?se=1&sig=one');
  const downloads = (target: string) => countDownloads([call], downloadOf(call, target));
  expect(downloads('/image?se=1&sig=redacted_x')).toBe(1);
  expect(downloads('/image?se=1&width=64&sig=redacted_x')).toBe(0);
  expect(downloads('/image?sig=redacted_x')).toBe(0);
});

test('a question mark in a signed URL does not hide the parameters after it', () => {
  const call = createImageCall('http://127.0.0.1:1/image?title=why?&sig=one');
  expect(countDownloads([call], downloadOf(call, '/image?title=why?&sig=redacted_x'))).toBe(1);
  expect(countDownloads([call], downloadOf(call, '/image?title=why?&width=64&sig=redacted_x'))).toBe(0);
});
