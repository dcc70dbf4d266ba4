import { expect, test } from 'vitest';
import { InvalidRequestText, parseRequest } from './parse-request.ts';

const parse = (text: string) => parseRequest(Buffer.from(text));

test('a request is read as it appears on the wire, with either line ending', () => {
  for (const end of ['\n', '\r\n']) {
    const request = parse(
      `post /v1/x?a=b HTTP/1.1${end}Content-Type: application/json${end}X-A:  b ${end}${end}{"a":${end}1}`,
    );
    expect(request).toMatchObject({
      method: 'POST',
      target: '/v1/x?a=b',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-A', 'b'],
      ],
    });
    expect(request.body.json).toEqual({ value: { a: 1 } });
  }
});

test('a request may have an absolute URL, and no version, fields or body', () => {
  expect(parse('GET http://h.example/v1/models?x=1')).toMatchObject({
    method: 'GET',
    target: '/v1/models?x=1',
    body: { size: 0 },
  });
});

test.each([
  ['{"a":1}', /is not a request line\..* POST \/v1\/threads HTTP\/1\.1/],
  ['GET /v1/x HTTP/1.1\nno colon\n\n', /is not a header field\..* Content-Type: application\/json/],
])('%j is rejected with the reason and an example', (text, message) => {
  expect(() => parse(text)).toThrow(InvalidRequestText);
  expect(() => parse(text)).toThrow(message);
});
