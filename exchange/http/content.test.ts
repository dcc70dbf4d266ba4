import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs, HttpResponse } from '../exchange.ts';
import { Body } from './body.ts';
import { decodedContent, decodeUpTo, mediaTypeOf } from './content.ts';
import { arrivalTime, eventsOf } from './event-stream.ts';
import { formDataParts } from './form-data.ts';

const message = (content: Uint8Array | string, headers: HeaderPairs) => ({
  headers,
  body: Body.from(content),
});

function response(content: Uint8Array | string, headers: HeaderPairs): HttpResponse {
  return { status: 200, reason: 'OK', trailers: [], pieces: [], ...message(content, headers) };
}

describe('content codings', () => {
  const text = '{"hello":"world"}'.repeat(100);
  const encodings = { gzip: gzipSync(text), br: brotliCompressSync(text), deflate: deflateSync(text) };

  test.each(Object.entries(encodings))('%s is decoded', (coding, bytes) => {
    expect(decodedContent(message(bytes, [['Content-Encoding', coding]]))?.text).toBe(text);
  });

  test('raw deflate is decoded too', () => {
    expect(decodedContent(message(deflateRawSync(text), [['content-encoding', 'deflate']]))?.text).toBe(text);
  });

  test('codings are decoded in reverse order', () => {
    const both = message(brotliCompressSync(gzipSync(text)), [['content-encoding', 'gzip, br']]);
    expect(decodedContent(both)?.text).toBe(text);
  });

  test.each(Object.entries(encodings))(
    'truncated %s is decoded as far as it was received',
    (coding, bytes) => {
      const cut = decodedContent(
        message(bytes.subarray(0, bytes.length - 6), [['content-encoding', coding]]),
      );
      expect(cut === null ? null : text.startsWith(cut.text ?? '?')).toBe(true);
    },
  );

  test('unreadable content is null: an unknown coding, damaged data, or too much of it', () => {
    expect(decodedContent(message('abc', [['content-encoding', 'zstd']]))).toBeNull();
    expect(decodedContent(message('abc', [['content-encoding', 'gzip']]))).toBeNull();
    expect(decodeUpTo(message(encodings.gzip, [['content-encoding', 'gzip']]), 100)).toBeNull();
  });

  test('content without a coding is the body itself, even if only its digest was kept', () => {
    const kept = message('abc', [['content-encoding', 'identity']]);
    expect(decodedContent(kept)).toBe(kept.body);
    const digest = { headers: [], body: Body.digest('00', 5) };
    expect(decodedContent(digest)).toBe(digest.body);
  });
});

test('media types are read with charset and boundary, or not at all', () => {
  expect(mediaTypeOf([['Content-Type', 'Application/JSON; charset=UTF-8']])).toEqual({
    essence: 'application/json',
    charset: 'utf-8',
    boundary: null,
  });
  expect(mediaTypeOf([['content-type', 'multipart/form-data; boundary="a b"']])?.boundary).toBe('a b');
  expect(mediaTypeOf([['content-type', 'json']])).toBeNull();
  expect(mediaTypeOf([])).toBeNull();
});

describe('events', () => {
  const type: HeaderPairs[number] = ['Content-Type', 'text/event-stream; charset=utf-8'];

  test('are read from an event stream, decoded if it is compressed', () => {
    const stream = 'data: 1\n\ndata: 2\n\ndata: [D';
    const plain = response(stream, [type]);
    expect(eventsOf(plain)?.events.map(({ data }) => data)).toEqual(['1', '2']);
    expect(eventsOf(plain)?.rest?.data).toBe('[D');
    expect(eventsOf(plain)).toBe(eventsOf(plain));
    expect(eventsOf(response(gzipSync(stream), [type, ['content-encoding', 'gzip']]))?.events).toHaveLength(
      2,
    );
  });

  test('are absent in other responses', () => {
    expect(eventsOf(response('data: 1\n\n', [['Content-Type', 'text/plain']]))).toBeNull();
  });

  test('arrive with the piece that contains their last byte', () => {
    const pieces = [
      { offset: 0, at: 3 },
      { offset: 10, at: 8 },
    ];
    expect([1, 10, 11].map((end) => arrivalTime(pieces, end))).toEqual([3, 3, 8]);
    expect(arrivalTime([], 4)).toBeNull();
  });
});

describe('forms', () => {
  const body = [
    '--xyz\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n',
    '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".jsonl"\r\n',
    'Content-Type: application/json; charset=x\r\n\r\n{}\r\n\r\n--xyz--\r\n',
  ].join('');
  const type: HeaderPairs[number] = ['Content-Type', 'multipart/form-data; boundary=xyz'];

  test('consist of their parts in order, with exact content', () => {
    const parts = formDataParts(message(body, [type]));
    expect(parts).toMatchObject([
      { name: 'purpose', filename: null, type: null },
      { name: 'file', filename: 'a "b".jsonl', type: 'application/json' },
    ]);
    expect(parts?.map((part) => part.body.text)).toEqual(['assistants', '{}\r\n']);
  });

  test('have no parts if they are malformed or of another type', () => {
    expect(formDataParts(message(body.slice(0, 60), [type]))).toBeNull();
    expect(formDataParts(message(body, [['Content-Type', 'text/plain']]))).toBeNull();
  });
});
