import { expect, test } from 'vitest';
import { createReplayFixture } from '../testing/replay-fixture.ts';
import { explainMatch } from './explain-match.ts';
import { parseRequest } from './parse-request.ts';

const fixture = createReplayFixture();
const parse = (text: string) => parseRequest(Buffer.from(text));

test('the explanation names the recording that answers, its key and the number of recordings of the same request', async () => {
  const cassette = await fixture.writeCassette([
    { body: '{"a":1}' },
    { body: '{"b":1}' },
    { body: '{"a":1}' },
  ]);
  const words = await explainMatch([cassette], parse('POST /v1/chat/completions\n\n{"a": 1}'));
  expect(words).toContain('Answered by  e1  POST /v1/chat/completions');
  expect(words).toContain('it is the first of 2 recordings of it');
  expect(words).toMatch(/key +[0-9a-f]{16}\n +seen as +\{"method":"POST"/);
  expect(await explainMatch([cassette], parse('POST /v1/chat/completions\n\n{"b": 1}'))).toContain(
    'it is the only recording of it',
  );
});

test('the explanation of a request without a recording shows how the nearest recording differs', async () => {
  const cassette = await fixture.writeCassette([{ body: '{"a":1}' }, { body: '{"b":1}' }]);
  expect(await explainMatch([cassette], parse('POST /v1/chat/completions\n\n{"b": 2}'))).toMatch(
    /No recorded exchange answers.*body \/b.*recorded {2}1.*asked {5}2/s,
  );
});

test('the command for a request without a recording ignores the same parts of requests', async () => {
  const cassette = await fixture.writeCassette([{ body: '{"a":1}' }]);
  const request = parse('POST /v1/chat/completions\n\n{"b": 2}');
  const words = await explainMatch([cassette], request, { normalise: ['uuid'], volatile: ['/user'] });
  expect(words).toContain('--mode new --normalise uuid --volatile /user');
});

test('with repeatLast, the explanation counts only recordings of the same request', async () => {
  const cassette = await fixture.writeCassette([
    { body: '{"a":1}' },
    { body: '{"b":1}' },
    { body: '{"a":1}' },
  ]);
  const explain = (body: string) =>
    explainMatch([cassette], parse(`POST /v1/chat/completions\n\n${body}`), { repeatLast: true });
  expect(await explain('{"a": 1}')).toContain('it is the first of 2 recordings of it');
  expect(await explain('{"b": 1}')).toContain('it is the only recording of it');
});
