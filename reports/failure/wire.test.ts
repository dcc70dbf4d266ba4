import { expect, test } from 'vitest';
import { Body, type Json } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import { sampleReport } from '../testing/sample.ts';
import { wireLines } from './wire.ts';

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

test('a form field without a name is printed with an empty one', () => {
  const exchange = sampleReport('broken').evidence.exchange('e4');
  if (exchange === undefined) throw new Error('The sample has no exchange e4.');
  const headers = [['content-type', 'multipart/form-data; boundary=b']] as const;
  const part = (disposition: string) => `--b\r\ncontent-disposition: form-data${disposition}\r\n\r\nhi\r\n`;
  const body = Body.from(`${part('')}${part('; filename="a.txt"')}--b--\r\n`);
  const [line] = wireLines({ ...exchange, request: { ...exchange.request, headers, body } }, [], 200);
  expect(line).toBe('> GET /v1/files/file-9  =hi =@a.txt (2 B)');
});
