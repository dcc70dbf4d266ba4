import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';

const chatStreamDoneEndsStream = requirementFromRow('chat.stream.done-ends-stream');
const chatStreamUsageOnlyWhenAsked = requirementFromRow('chat.stream.usage-only-when-asked');

test('a stream without events breaks the rule that [DONE] ends it, unless the client hung up', () => {
  const judgeEnding = (how: 'complete' | 'client-abort'): number => {
    const trace = new TraceBuilder();
    trace.add('createChatCompletion', { body: { model: 'any', stream: true } }, { events: [], how });
    return judgeRequirement(chatStreamDoneEndsStream, trace.exchanges).violations.length;
  };
  expect([judgeEnding('complete'), judgeEnding('client-abort')]).toEqual([1, 0]);
});

test.for([
  [{ include_usage: { assay: true } }, 0],
  [{ include_usage: true }, 0],
  ['none', 0],
  [[], 0],
  [{ include_usage: false }, 1],
  [{ include_usage: null }, 1],
  [{}, 1],
  [null, 1],
  [undefined, 1],
] as const)(
  'usage in a stream counts as not requested only if the options are valid: %j',
  ([options, count]) => {
    const trace = new TraceBuilder();
    const request = options === undefined ? {} : { stream_options: options };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const events = [JSON.stringify({ choices: [], usage }), '[DONE]'];
    trace.add('createChatCompletion', { body: { model: 'any', stream: true, ...request } }, { events });
    expect(judgeRequirement(chatStreamUsageOnlyWhenAsked, trace.exchanges).violations).toHaveLength(count);
  },
);
