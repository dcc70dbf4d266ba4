import { expect, test } from 'vitest';
import { parseBaseUrl, targetPathOf } from './base-url.ts';

test.each([
  ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1/images/1.png?a=b#c', '/v1/images/1.png?a=b'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/pictures/1.png', '/pictures/1.png'],
  ['https://example.com/api/v1', 'https://example.com/api/v1/images/1.png', '/v1/images/1.png'],
  ['https://example.com/api/v1', 'https://example.com/images/1.png', null],
  ['https://example.com/api/v1', 'https://example.com/apiary/1.png', null],
  ['https://example.com/v1', 'https://pictures.example.com/1.png', null],
  ['https://example.com/v1', 'http://example.com/1.png', null],
  ['https://example.com/v1', 'data:image/png;base64,AAAA', null],
  ['https://example.com/v1', '/images/1.png', null],
])('with the base URL %s, the path of %s on the target is %s', (base, url, target) => {
  expect(targetPathOf(parseBaseUrl(base), url)).toBe(target);
});

test('an invalid base URL is rejected with what is wrong', () => {
  expect(() => parseBaseUrl('localhost')).toThrow('http://localhost');
  expect(() => parseBaseUrl('127.0.0.1:80/v1')).toThrow('http://127.0.0.1:80/v1');
  expect(() => parseBaseUrl('mailto:x')).toThrow('"mailto:x" has the scheme mailto;');
  expect(() => parseBaseUrl('http://u:secret@x')).toThrow('credentials');
  expect(() => parseBaseUrl('http://x?a=b')).toThrow('query');
});

test.each(['http://u:secret@x', 'http://u:sec/secret@x', 'ftp://u:p@secret@x'])(
  'the error for %s does not contain the password',
  (text) => {
    expect(() => parseBaseUrl(text)).toThrow(/^(?!.*secret).*base URL/);
  },
);
