import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requestsBeyond } from './beyond.client.ts';

const user = { role: 'user', content: 'Hi' };

test.for<[string, Readonly<Record<string, Json>>, readonly string[]]>([
  ['nothing more, with listed fields and values', { n: 2, tool_choice: 'none' }, ['none']],
  ['a field', { parallel_tool_calls: true }, ['also createChatCompletion parallel_tool_calls']],
  [
    'a role and fields of messages, without their values',
    { messages: [user, { role: 'tool', tool_call_id: 'secret', content: '' }] },
    ['also createChatCompletion messages[].tool_call_id', 'also createChatCompletion messages[].role'],
  ],
])('a client relies on %s', ([, asked, parts]) => {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body: { model: 'any', messages: [user], ...asked } }, { json: {} });
  expect(takenAlternatives(requestsBeyond, trace.exchanges).toSorted()).toEqual(parts.toSorted());
});
