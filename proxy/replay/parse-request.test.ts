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
  expect(parse('GET http://h.example/v1/models?x=1')).toMatchObject({
    method: 'GET',
    target: '/v1/models?x=1',
    body: { size: 0 },
  });
});

test('a text that is not a request is rejected with an example', () => {
  expect(() => parse('{"a":1}')).toThrow(InvalidRequestText);
  expect(() => parse('GET /v1/x HTTP/1.1\nno colon\n\n')).toThrow(/is not a header field/);
});
