import { expect, test } from 'vitest';
import { createReplayFixture } from '../testing/replay-fixture.ts';
import { explainMatch, InvalidRequestText, parseRequest } from './explain-match.ts';

const bench = createReplayFixture();
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

test('the explanation names the recording that answers, and how many match', async () => {
  const cassette = await bench.writeCassette([{ body: '{"a":1}' }, { body: '{"b":1}' }, { body: '{"a":1}' }]);
  const words = await explainMatch([cassette], parse('POST /v1/chat/completions\n\n{"a": 1}'));
  expect(words).toContain('Answered by  e1  POST /v1/chat/completions');
  expect(words).toContain('it is the first of 2 recordings of it');
  expect(words).toMatch(/key +[0-9a-f]{16}\n +seen as +\{"method":"POST"/);
  expect(await explainMatch([cassette], parse('POST /v1/chat/completions\n\n{"b": 1}'))).toContain(
    'it is the only recording of it',
  );
  expect(await explainMatch([cassette], parse('POST /v1/chat/completions\n\n{"b": 2}'))).toMatch(
    /No recorded exchange answers.*body \/b.*recorded {2}1.*asked {5}2/s,
  );
});

test('the explanation counts the recordings of the request alone if the last one is repeated', async () => {
  const cassette = await bench.writeCassette([{ body: '{"a":1}' }, { body: '{"b":1}' }, { body: '{"a":1}' }]);
  const explain = (body: string) =>
    explainMatch([cassette], parse(`POST /v1/chat/completions\n\n${body}`), { repeatLast: true });
  expect(await explain('{"a": 1}')).toContain('it is the first of 2 recordings of it');
  expect(await explain('{"b": 1}')).toContain('it is the only recording of it');
});
