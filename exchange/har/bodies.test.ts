import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { requestContent, responseContent } from './content.ts';
import type { HarContent, HarRequest } from './format.ts';

const JSON_TEXT = '{"object":"list","data":[]}';
const MULTIPART = 'multipart/form-data; boundary=a-boundary-of-a-form';
const GZIPPED = gzipSync(JSON_TEXT);
const encodeBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

describe('the body of a response', () => {
  const read = (content: Partial<HarContent>, headers: HeaderPairs = []) =>
    responseContent(
      {
        status: 200,
        headers: [],
        bodySize: -1,
        content: { size: 27, mimeType: 'application/json', ...content },
      },
      headers,
    )?.toString();

  test.each<[string, Partial<HarContent>, HeaderPairs]>([
    ['text', { text: JSON_TEXT }, []],
    ['text that the browser decoded', { text: JSON_TEXT }, [['content-encoding', 'br']]],
    ['text with the encoding utf-8', { text: JSON_TEXT, encoding: 'utf-8' }, []],
    ['base64', { text: encodeBase64(Buffer.from(JSON_TEXT)), encoding: 'base64' }, []],
    [
      'base64 that is declared as Base64',
      { text: encodeBase64(Buffer.from(JSON_TEXT)), encoding: 'Base64' },
      [],
    ],
    ['base64 that is not declared', { text: encodeBase64(Buffer.from(JSON_TEXT)) }, []],
    ['gzip in base64', { text: encodeBase64(GZIPPED), encoding: 'base64' }, [['content-encoding', 'gzip']]],
    ['gzip without its header field', { text: encodeBase64(GZIPPED), encoding: 'base64' }, []],
    [
      'brotli in base64',
      { text: encodeBase64(brotliCompressSync(JSON_TEXT)), encoding: 'base64' },
      [['content-encoding', 'br']],
    ],
    ['gzip as Latin 1', { text: GZIPPED.toString('latin1') }, [['content-encoding', 'gzip']]],
    [
      'pieces of Polly.js',
      {
        text: JSON.stringify([encodeBase64(GZIPPED.subarray(0, 9)), encodeBase64(GZIPPED.subarray(9))]),
        encoding: 'base64',
      },
      [['content-encoding', 'gzip']],
    ],
    [
      'pieces of an older Polly.js',
      { text: JSON.stringify([GZIPPED.toString('hex')]), _isBinary: true },
      [['content-encoding', 'gzip']],
    ],
    ['hexadecimal digits of an older Polly.js', { text: GZIPPED.toString('hex'), _isBinary: true }, []],
    ['pieces of a stream', { _chunks: [{ data: JSON_TEXT.slice(0, 4) }, { data: JSON_TEXT.slice(4) }] }, []],
  ])('is read from %s', (_, content, headers) => {
    expect(read(content, headers)).toBe(JSON_TEXT);
  });

  test.each([
    ['a JSON array of strings', '["abcd","efgh"]'],
    ['a JSON string', '"abcdefgh"'],
    ['letters that are not JSON', 'abcdefgh'],
  ])('is kept unchanged if it is %s', (_, text) => {
    expect(read({ text })).toBe(text);
  });

  test('is absent if it was omitted, or damaged because binary data was read as text', () => {
    expect(read({})).toBeUndefined();
    expect(read({ text: GZIPPED.toString() })).toBeUndefined();
  });

  test('is empty if its size is 0, but absent if it is an event stream', () => {
    expect(read({ size: 0 })).toBe('');
    expect(read({ size: 0 }, [['content-type', 'text/event-stream']])).toBeUndefined();
  });

  test.each(['{"a": 1}', 'abc=d', 'a'])('is rejected if it claims to be base64 and is %s', (text) => {
    expect(() => read({ text, encoding: 'base64' })).toThrow('declared as base64');
  });
});

describe('the body of a request', () => {
  const read = (request: Partial<HarRequest>, headers: HeaderPairs = []) =>
    requestContent(
      {
        method: 'POST',
        url: 'https://service.example/v1/files',
        headers: [],
        bodySize: -1,
        ...request,
      },
      headers,
    );
  const part = (content: string) =>
    `--a-boundary-of-a-form\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content}\r\n--a-boundary-of-a-form--\r\n`;

  test.each<[string, Partial<HarRequest>, HeaderPairs, number]>([
    ['nothing describes it', {}, [], 1],
    ['only its size is given', { bodySize: 90 }, [], 90],
    ['only its Content-Length is given', { bodySize: 0 }, [['content-length', '12']], 12],
    ['its sizes are impossible', { bodySize: 0.5 }, [['content-length', '9'.repeat(30)]], 1],
    ['its text is empty', { bodySize: 90, postData: { text: '' } }, [], 90],
    ['its form is damaged', { postData: { text: 'no form' } }, [['content-type', MULTIPART]], 7],
  ])('is unknown if %s', (_, request, headers, size) => {
    expect(read(request, headers)).toEqual({ kind: 'unknown', size });
  });

  test.each<[string, Partial<HarRequest>, HeaderPairs]>([
    ['its size is 0', { bodySize: 0 }, []],
    ['its Content-Length is 0', {}, [['content-length', '0']]],
    ['its method takes no body', { method: 'GET' }, []],
  ])('is empty if %s', (_, request, headers) => {
    expect(read(request, headers)).toEqual({ kind: 'bytes', bytes: Buffer.alloc(0) });
  });

  test('is known except for the files that a browser omitted', () => {
    const [form, headers] = [part('abc'), [['content-type', MULTIPART]] as const];
    expect(read({ postData: { text: form }, bodySize: form.length }, headers)).toEqual({
      kind: 'bytes',
      bytes: Buffer.from(form),
    });
    const requestWithoutFile = { postData: { text: part('') }, bodySize: form.length };
    expect(read(requestWithoutFile, headers)).toMatchObject({
      kind: 'form',
      parts: [{ name: 'file', filename: 'a.txt', body: { isUnknown: true } }],
    });
  });

  test('is a form without a boundary if its fields are listed', () => {
    const params = [
      { name: 'purpose', value: 'batch' },
      { name: 'file', fileName: 'a.jsonl', contentType: 'text/plain' },
    ];
    expect(read({ postData: { mimeType: 'multipart/form-data', params } })).toMatchObject({
      kind: 'form',
      parts: [
        { name: 'purpose', body: { text: 'batch' } },
        { filename: 'a.jsonl', body: { isUnknown: true } },
      ],
    });
  });
});
