import { expect, test } from 'vitest';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { type RequestSketch, TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { callsBeyond, requestsBeyond } from './beyond.client.ts';

const user = { role: 'user', content: 'Hi' };

test.for<[string, Readonly<Record<string, Json>>, readonly string[]]>([
  ['nothing beyond listed fields and values', { n: 2, tool_choice: 'none' }, ['none']],
  ['an unlisted field', { parallel_tool_calls: true }, ['also createChatCompletion parallel_tool_calls']],
  [
    'an unlisted role and field of messages, which are named without values',
    { messages: [user, { role: 'tool', tool_call_id: 'secret', content: '' }] },
    ['also createChatCompletion messages[].tool_call_id', 'also createChatCompletion messages[].role'],
  ],
])('a client relies on %s', ([, fields, parts]) => {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body: { model: 'any', messages: [user], ...fields } }, { json: {} });
  expect(takenAlternatives(requestsBeyond, trace.exchanges).toSorted()).toEqual(parts.toSorted());
});

test.for<[string, RequestSketch, readonly string[]]>([
  ['listed parameters of a query alone', { query: { purpose: 'batch' } }, ['none']],
  [
    'an unlisted parameter of a query, which is named without its value',
    { query: { limit: '5' } },
    ['also listFiles query.limit'],
  ],
])('a client relies on %s', ([, request, parts]) => {
  const trace = new TraceBuilder();
  trace.add('listFiles', request, { json: {} });
  expect(takenAlternatives(requestsBeyond, trace.exchanges)).toEqual(parts);
});

test('a body is read with the header of any vendor', () => {
  const trace = new TraceBuilder();
  const headers = [['Other-Beta', 'assistants=v2']] as const;
  trace.add('createAssistant', { headers, body: { model: 'any', reasoning_effort: 'low' } }, { json: {} });
  expect(takenAlternatives(requestsBeyond, trace.exchanges)).toEqual([
    'also createAssistant reasoning_effort',
  ]);
});

test('an unreadable body is not judged', () => {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { text: '{' }, { json: {} });
  expect(takenAlternatives(requestsBeyond, trace.exchanges)).toEqual([]);
});

test.for<[string, string, readonly string[]]>([
  ['a listed operation', 'GET /v1/models?limit=3', ['none']],
  ['the other spelling of a listed path', 'GET /v1/vector_stores/vs_1/file_batches/b_1', []],
  ['another path', 'POST /v1/embeddings', ['also POST /v1/embeddings']],
  ['another method', 'PATCH /v1/threads/thread_1', ['also PATCH /v1/threads/[]']],
  [
    'an operation on a listed object, without ids and query',
    'GET /v1/threads/thread_1/runs/run_2?key=secret',
    ['also GET /v1/threads/[]/runs/[]'],
  ],
  ['a preflight request of a browser', 'OPTIONS /v1/embeddings', []],
])('a client calls %s', ([, line, calls]) => {
  const [method = '', target = ''] = line.split(' ');
  expect(takenAlternatives(callsBeyond, [createExchange(method, target)])).toEqual(calls);
});

test.for<[string, readonly string[]]>([
  ['image/png', []],
  ['application/json', ['also GET /files/[]']],
])('a download is a call unless it is a picture: %s', ([type, calls]) => {
  const sent = createExchange('GET', '/files/a1.png', [['Content-Type', type]]);
  expect(takenAlternatives(callsBeyond, [sent])).toEqual(calls);
});

test('requests of the suite are not calls of a client', () => {
  const sent = { ...createExchange('POST', '/v1/embeddings'), scenario: 'chat' };
  expect(takenAlternatives(callsBeyond, [sent])).toEqual([]);
});

function createExchange(method: string, target: string, headers: HeaderPairs = []): Exchange {
  const sent = new TraceBuilder().add('listModels', {}, { json: {}, headers });
  return { ...sent, request: { ...sent.request, method, target } };
}
