import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Body } from './body.ts';
import { decode, decoded, mediaType } from './content.ts';
import { arrival, events } from './events.ts';
import type { HeaderPairs, HttpResponse } from './exchange.ts';
import { form } from './form.ts';

const message = (content: Uint8Array | string, headers: HeaderPairs) => ({ headers, body: Body.of(content) });

function response(content: Uint8Array | string, headers: HeaderPairs): HttpResponse {
  return { status: 200, reason: 'OK', trailers: [], pieces: [], ...message(content, headers) };
}

describe('content codings', () => {
  const text = '{"hello":"world"}'.repeat(100);
  const coded = { gzip: gzipSync(text), br: brotliCompressSync(text), deflate: deflateSync(text) };

  test.each(Object.entries(coded))('%s is undone', (coding, bytes) => {
    expect(decoded(message(bytes, [['Content-Encoding', coding]]))?.text).toBe(text);
  });

  test('raw deflate is undone too', () => {
    expect(decoded(message(deflateRawSync(text), [['content-encoding', 'deflate']]))?.text).toBe(text);
  });

  test('codings are undone in reverse order', () => {
    const both = message(brotliCompressSync(gzipSync(text)), [['content-encoding', 'gzip, br']]);
    expect(decoded(both)?.text).toBe(text);
  });

  test.each(Object.entries(coded))('%s cut short gives what came', (coding, bytes) => {
    const cut = decoded(message(bytes.subarray(0, bytes.length - 6), [['content-encoding', coding]]));
    expect(cut === null ? null : text.startsWith(cut.text ?? '?')).toBe(true);
  });

  test('what cannot be read is null: an unknown coding, damage, too much', () => {
    expect(decoded(message('abc', [['content-encoding', 'zstd']]))).toBeNull();
    expect(decoded(message('abc', [['content-encoding', 'gzip']]))).toBeNull();
    expect(decode(message(coded.gzip, [['content-encoding', 'gzip']]), 100)).toBeNull();
  });

  test('without a coding it is the body itself, also where only its digest was kept', () => {
    const kept = message('abc', [['content-encoding', 'identity']]);
    expect(decoded(kept)).toBe(kept.body);
    const digest = { headers: [], body: Body.digest('00', 5) };
    expect(decoded(digest)).toBe(digest.body);
  });
});

test('media types are read with charset and boundary, or not at all', () => {
  expect(mediaType([['Content-Type', 'Application/JSON; charset=UTF-8']])).toEqual({
    essence: 'application/json',
    charset: 'utf-8',
    boundary: null,
  });
  expect(mediaType([['content-type', 'multipart/form-data; boundary="a b"']])?.boundary).toBe('a b');
  expect(mediaType([['content-type', 'json']])).toBeNull();
  expect(mediaType([])).toBeNull();
});

describe('events', () => {
  const type: HeaderPairs[number] = ['Content-Type', 'text/event-stream; charset=utf-8'];

  test('are read from an event stream, decoded where it is compressed', () => {
    const stream = 'data: 1\n\ndata: 2\n\ndata: [D';
    const plain = response(stream, [type]);
    expect(events(plain)?.events.map(({ data }) => data)).toEqual(['1', '2']);
    expect(events(plain)?.rest?.data).toBe('[D');
    expect(events(plain)).toBe(events(plain));
    expect(events(response(gzipSync(stream), [type, ['content-encoding', 'gzip']]))?.events).toHaveLength(2);
  });

  test('there are none in any other response', () => {
    expect(events(response('data: 1\n\n', [['Content-Type', 'text/plain']]))).toBeNull();
  });

  test('arrive with the piece that holds their last byte', () => {
    const pieces = [
      { offset: 0, at: 3 },
      { offset: 10, at: 8 },
    ];
    expect([1, 10, 11].map((end) => arrival(pieces, end))).toEqual([3, 3, 8]);
    expect(arrival([], 4)).toBeNull();
  });
});

describe('forms', () => {
  const body = [
    '--xyz\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n',
    '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".jsonl"\r\n',
    'Content-Type: application/json; charset=x\r\n\r\n{}\r\n\r\n--xyz--\r\n',
  ].join('');
  const type: HeaderPairs[number] = ['Content-Type', 'multipart/form-data; boundary=xyz'];

  test('are their parts in order, with exact content', () => {
    const parts = form(message(body, [type]));
    expect(parts).toMatchObject([
      { name: 'purpose', filename: null, type: null },
      { name: 'file', filename: 'a "b".jsonl', type: 'application/json' },
    ]);
    expect(parts?.map((part) => part.body.text)).toEqual(['assistants', '{}\r\n']);
  });

  test('a malformed or different body has none', () => {
    expect(form(message(body.slice(0, 60), [type]))).toBeNull();
    expect(form(message(body, [['Content-Type', 'text/plain']]))).toBeNull();
  });
});
