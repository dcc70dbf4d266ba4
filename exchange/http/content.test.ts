import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from './body.ts';
import { decodedContent, decodeUpTo, mediaTypeOf } from './content.ts';

const message = (content: Uint8Array | string, headers: HeaderPairs) => ({
  headers,
  body: Body.from(content),
});

describe('content codings', () => {
  // The text is so long that the bytes cut off below hold less than half of it.
  const text = Array.from({ length: 1_000 }, (_, n) => `{"n":${n}}`).join('\n');
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
      expect(cut?.size).toBeGreaterThan(text.length / 2);
      expect(text.startsWith(cut?.text ?? '?')).toBe(true);
    },
  );

  test.each([
    ['with an unknown coding', 'zstd'],
    ['that is damaged', 'gzip'],
  ])('content %s is null', (_, coding) => {
    expect(decodedContent(message('abc', [['content-encoding', coding]]))).toBeNull();
  });

  test('content beyond the limit is null', () => {
    expect(decodeUpTo(message(encodings.gzip, [['content-encoding', 'gzip']]), 100)).toBeNull();
  });

  test('content without a coding is the body itself, even if only its digest was kept', () => {
    const kept = message('abc', [['content-encoding', 'identity']]);
    expect(decodedContent(kept)).toBe(kept.body);
    const digest = { headers: [], body: Body.digest('00', 5) };
    expect(decodedContent(digest)).toBe(digest.body);
  });
});

test('a media type is parsed with its charset and boundary, and null if it is invalid or missing', () => {
  expect(mediaTypeOf([['Content-Type', 'Application/JSON; charset=UTF-8']])).toEqual({
    essence: 'application/json',
    charset: 'utf-8',
    boundary: null,
  });
  expect(mediaTypeOf([['content-type', 'multipart/form-data; boundary="a b"']])?.boundary).toBe('a b');
  expect(mediaTypeOf([['content-type', 'json']])).toBeNull();
  expect(mediaTypeOf([])).toBeNull();
});
