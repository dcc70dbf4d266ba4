import { expect, test } from 'vitest';
import { InvalidBaseUrl, parseBaseUrl, targetPathOf } from './base-url.ts';

test.each([
  ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1/images/1.png?a=b#c', '/v1/images/1.png?a=b'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/pictures/1.png', '/pictures/1.png'],
  ['https://example.com/api/v1', 'https://example.com/api/v1/images/1.png', '/v1/images/1.png'],
  ['https://example.com/api/v1', 'https://example.com/images/1.png', null],
  ['https://example.com/api/v1', 'https://example.com/apiary/1.png', null],
  ['https://example.com/v1', 'https://pictures.example.com/1.png', null],
  ['https://example.com/v1', 'http://example.com/1.png', null],
  ['https://example.com/api//v1//', 'https://example.com/api/1.png', '/1.png'],
  ['https://example.com/v1', 'data:image/png;base64,AAAA', null],
  ['https://example.com/v1', '/images/1.png', null],
])('with the base URL %s, the path of %s on the target is %s', (base, url, target) => {
  expect(targetPathOf(parseBaseUrl(base), url)).toBe(target);
});

test.each([
  ['localhost', 'The base URL "localhost" is not a URL; an example: http://localhost'],
  ['127.0.0.1:80/v1', 'The base URL "127.0.0.1:80/v1" is not a URL; an example: http://127.0.0.1:80/v1'],
  ['mailto:x', 'The base URL "mailto:x" has the scheme mailto; it must begin with http:// or https://.'],
  ['http://u:secret@x', 'The base URL holds credentials; pass them with --header or --api-key-env instead.'],
  [
    'http://x?a=b',
    'The base URL "http://x?a=b" has a query or a fragment; it may have only scheme, host and path.',
  ],
])('the base URL %s is rejected: %s', (text, message) => {
  expect(() => parseBaseUrl(text)).toThrow(new InvalidBaseUrl(message));
});

test('a malformed base URL is quoted without its credentials', () => {
  expect(() => parseBaseUrl('http://u:secret@')).toThrow('"http://…@"');
});

test.each(['http://u:sec/secret@x', 'ftp://u:p@secret@x', 'u:80/secret@x', 'u/secret@x'])(
  'the error for %s does not contain the password',
  (text) => {
    expect(() => parseBaseUrl(text)).toThrow(/^(?!.*secret).*base URL/);
  },
);
