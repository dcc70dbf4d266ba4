import { expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { Body, MAX_READ_BYTES } from '../exchange/http/body.ts';
import { MAX_LINE_BYTES } from '../exchange/http/sse-reader.ts';
import { judgeTrace } from '../explain/judge.ts';
import { schemaRequirements } from './schema/response-evaluator.ts';
import { catalogueOfSets } from './testing/catalogue-of-sets.ts';
import { TraceBuilder, testTraceHeader } from './testing/trace-builder.ts';

const CATALOGUE = catalogueOfSets([schemaRequirements()]);
const CHAT = { body: { model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] } };

function recordStream(body: Body | null = null): readonly Exchange[] {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', CHAT, { events: ['no JSON', '[DONE]'] });
  return trace.exchanges.map((exchange) => {
    const { response } = exchange;
    return body === null || response === null ? exchange : { ...exchange, response: { ...response, body } };
  });
}

function judgeStream(items: readonly Exchange[]) {
  const { requirements, hints } = judgeTrace(CATALOGUE, testTraceHeader(), items);
  const verdictOf = (id: string) => requirements.find((one) => one.id === id)?.verdict;
  return {
    json: verdictOf('createChatCompletion:stream#json'),
    type: verdictOf('createChatCompletion:stream#contentType'),
    hints,
  };
}

test('a stream that can be read is judged', () => {
  expect(judgeStream(recordStream())).toEqual({ json: 'fail', type: 'pass', hints: [] });
});

test.each([
  ['larger than what is read', Body.digest(Body.unreadSha256, MAX_READ_BYTES + 1)],
  ['in a file that is not read', Body.unread('a'.repeat(64), MAX_READ_BYTES + 1, '/nowhere')],
  ['with an event that is too long', Body.from(`data: "${'x'.repeat(MAX_LINE_BYTES)}"\n\ndata: [DONE]\n\n`)],
  ['with an event that is too long and cut off', Body.from(`data: "${'x'.repeat(MAX_LINE_BYTES)}`)],
  ['with too many events', Body.from('data:\n\n'.repeat(500_001))],
])('a stream %s is not evidence, and a hint says so', (_, body) => {
  expect(judgeStream(recordStream(body))).toEqual({
    json: 'untested',
    type: 'untested',
    hints: [{ kind: 'answers-too-long', answers: 1 }],
  });
});

test('content that a recording lacks is not called too long', () => {
  expect(judgeStream(recordStream(Body.unknown())).hints).toEqual([]);
});
