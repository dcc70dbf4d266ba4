import { expect, test } from 'vitest';
import { DISTURBED_FIELD } from '../../exchange/disturbed.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { streamsWhole } from './streams.client.ts';

const CUT: HeaderPairs = [
  ['content-type', 'text/event-stream'],
  [DISTURBED_FIELD, 'cut-stream'],
];

test.for<[string, string, number]>([
  ['is reported if a later request sends its text', 'Half of a sentence', 1],
  ['is not reported for an empty text in a later request if it had only white space', ' '.repeat(20), 0],
])('a cut stream %s', ([, content, count]) => {
  const trace = new TraceBuilder();
  const events = [{ choices: [{ index: 0, delta: { content } }] }];
  trace.add('createChatCompletion', { body: { stream: true } }, { headers: CUT, events });
  const messages = [{ role: 'assistant', content: content.trim() }];
  trace.add('createChatCompletion', { body: { messages } }, { json: {} });
  expect(judgeRequirement(streamsWhole, trace.exchanges).violations).toHaveLength(count);
});
