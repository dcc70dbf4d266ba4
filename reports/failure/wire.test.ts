import { expect, test } from 'vitest';
import { Body, type Json } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import { requestLine, wireLines } from './wire.ts';

function listShownEvents(at: string, deltas: readonly Json[]): readonly number[] {
  const trace = new TraceBuilder();
  const events = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }));
  trace.add('createChatCompletion', { body: { stream: true } }, { events: [...events, '[DONE]'] });
  const [exchange] = trace.exchanges;
  if (exchange === undefined) throw new Error('The trace has no exchange.');
  const finding: Finding = { at, expected: '', actual: null, exchange: exchange.id, signature: '' };
  return wireLines(exchange, [finding], 200).flatMap((line) => {
    const n = /^< {2,}(\d+) /.exec(line)?.[1];
    return n === undefined ? [] : [Number(n)];
  });
}

const call = { tool_calls: [{ index: 0, function: { arguments: '{}' } }] };
const deltas = [{ role: 'assistant', content: '' }, { content: 'I look.' }, call, call, {}];

test('a finding about the joined stream shows the events that carry its value', () => {
  expect(listShownEvents('/choices/*/message/tool_calls', deltas)).toEqual([3, 4]);
  expect(listShownEvents('/choices/*/delta/content', deltas)).toEqual([2]);
});

test('the last two events are shown if none has the value', () => {
  expect(listShownEvents('/choices/*/finish_reason', deltas)).toEqual([5, 6]);
});

test('an event that a finding names is shown alone', () => {
  expect(listShownEvents('event 1 /choices/0/delta/tool_calls', deltas)).toEqual([1]);
});

test('a form is shown by its fields, files and parts without a name', () => {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body: {} }, {});
  const [exchange] = trace.exchanges;
  if (exchange === undefined) throw new Error('The trace has no exchange.');
  const form = ['; name="a"', '; name="b"; filename="b.png"', '']
    .map((names) => `--x\r\nContent-Disposition: form-data${names}\r\n\r\n1\r\n`)
    .join('');
  const request = {
    ...exchange.request,
    headers: [['content-type', 'multipart/form-data; boundary=x']] as const,
    body: Body.from(`${form}--x--\r\n`),
  };
  expect(requestLine({ ...exchange, request }, 200)).toMatch(/ {2}a=1 b=@b\.png \(1 B\) \(no name\)=1$/);
});
