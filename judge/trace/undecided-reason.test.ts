import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Body, type Json } from '../../exchange/http/body.ts';
import { isTargetFailure } from '../acceptance/acceptance-tally.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from './call.ts';
import { undecidedReason } from './undecided-reason.ts';

function createCall(status: number, error: Json, body: object = {}): Call {
  const trace = new TraceBuilder();
  const request = { model: 'm', messages: [{ role: 'user', content: 'Say assay.' }], ...body };
  const exchange = trace.add('createChatCompletion', { body: request }, { status, json: { error } });
  const call = Call.from({ ...exchange, scenario: 'chat.tools' }, 'Vendor-Beta');
  if (call === null) throw new Error('no operation');
  return call;
}

const tools = Array.from({ length: 128 }, (_, n) => ({ type: 'function', function: { name: `f_${n}` } }));

test.each([
  ['context_length_exceeded', { code: 'context_length_exceeded' }],
  ['exceed_context_size_error', { type: 'exceed_context_size_error' }],
  ['a message', { message: "This model's maximum context length is 512 tokens." }],
])(
  'a refusal for the context length is undecided only if the request is long or asks for a long reply: %s',
  (_, error) => {
    expect(undecidedReason(createCall(400, error, { tools }))).toBe('model');
    expect(undecidedReason(createCall(400, error, { max_tokens: 4096 }))).toBe('model');
    expect(undecidedReason(createCall(400, error))).toBeNull();
  },
);

test('an error that is only a text is read as a message', () => {
  const error = 'The prompt exceeds the context size.';
  expect(undecidedReason(createCall(400, error, { tools }))).toBe('model');
  expect(undecidedReason(createCall(400, 'At most 64 tools.', { tools }))).toBeNull();
});

test('a context limit can be the reason for refusing a request whose body was not recorded', () => {
  const response = { status: 400, json: { error: { code: 'context_length_exceeded' } } };
  const exchange = new TraceBuilder().add('createChatCompletion', { size: 400 }, response);
  const call = Call.from(exchange, 'Vendor-Beta');
  expect(call === null ? null : undecidedReason(call)).toBe('model');
});

test('a compressed error is decoded before it is read', () => {
  const trace = new TraceBuilder();
  const body = { model: 'm', messages: [{ role: 'user', content: 'Say assay.' }] };
  const exchange = trace.add('createChatCompletion', { body }, { status: 400, json: {} });
  const { response } = exchange;
  if (response === null) throw new Error('no response');
  const zipped = Body.from(gzipSync(JSON.stringify({ error: { code: 'content_filter' } })));
  const headers = [['content-encoding', 'gzip']] as const;
  const call = Call.from({ ...exchange, response: { ...response, headers, body: zipped } }, 'Vendor-Beta');
  expect(call === null ? null : undecidedReason(call)).toBe('model');
});

test('a request is as long as its content is before compression', () => {
  const { exchange } = createCall(400, { code: 'context_length_exceeded' }, { tools });
  const { headers, body } = exchange.request;
  const zipped = Body.from(gzipSync(body.bytes ?? ''));
  const request = {
    ...exchange.request,
    headers: [...headers, ['content-encoding', 'gzip'] as const],
    body: zipped,
  };
  const call = Call.from({ ...exchange, request }, 'Vendor-Beta');
  expect(zipped.size).toBeLessThan(1000);
  expect(call === null ? null : undecidedReason(call)).toBe('model');
});

test('a long request that is refused for another reason is decided', () => {
  expect(undecidedReason(createCall(400, { message: 'At most 64 tools.' }, { tools }))).toBeNull();
});

test('an error about the text that a model wrote is not a failure of the service', () => {
  const message = 'The model produced output that does not match the expected peg-native format';
  const modelError = createCall(500, { message });
  expect([undecidedReason(modelError), isTargetFailure(modelError)]).toEqual(['model', false]);
  const fault = createCall(500, { message: 'Internal error.' });
  expect([undecidedReason(fault), isTargetFailure(fault)]).toEqual([null, true]);
});
