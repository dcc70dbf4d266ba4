import { expect, test } from 'vitest';
import type { Json } from '../../exchange/body.ts';
import type { Behaviour, Evidence } from '../../judge/requirement.ts';
import { hear } from '../../judge/testing/hear.ts';
import { TraceBuilder } from '../../judge/testing/trace.ts';
import { logprobsOnlyWhenAsked, logprobsWhenAsked } from './logprobs.requirements.ts';
import { jsonMode } from './reply.requirements.ts';
import { doneLast } from './stream.requirements.ts';
import { jsonArguments, withoutTools } from './tools.requirements.ts';

function complaints<E extends Evidence>(
  rule: Behaviour<E>,
  asked: Readonly<Record<string, Json>>,
  choice: Readonly<Record<string, Json>>,
): number {
  const trace = new TraceBuilder();
  const body = { model: 'any', messages: [], ...asked };
  const json = { choices: [{ index: 0, finish_reason: 'stop', ...choice }] };
  trace.add('createChatCompletion', { body }, { json });
  return hear(rule, trace.exchanges).complaints.length;
}

const text = { message: { role: 'assistant', content: 'assay' } };
const entry = { token: 'assay', logprob: -0.1, bytes: null, top_logprobs: [] };

test('an empty list of log probabilities is as good as none', () => {
  const empty = { ...text, logprobs: { content: [] } };
  expect(complaints(logprobsOnlyWhenAsked, {}, empty)).toBe(0);
  expect(complaints(logprobsWhenAsked, { logprobs: true }, empty)).toBe(1);
  const told = { ...text, logprobs: { content: [entry] } };
  expect(complaints(logprobsOnlyWhenAsked, {}, told)).toBe(1);
  expect(complaints(logprobsWhenAsked, { logprobs: true }, told)).toBe(0);
});

test('what a stop sequence of the caller cuts off need not be JSON', () => {
  const json = { response_format: { type: 'json_object' } };
  const half = { message: { role: 'assistant', content: '{"word": "assay"' } };
  expect(complaints(jsonMode, json, half)).toBe(1);
  expect(complaints(jsonMode, { ...json, stop: null }, half)).toBe(1);
  expect(complaints(jsonMode, { ...json, stop: '}' }, half)).toBe(0);
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city": ' } };
  const calling = { message: { role: 'assistant', content: null, tool_calls: [call] } };
  expect(complaints(jsonArguments, {}, calling)).toBe(1);
  expect(complaints(jsonArguments, { stop: ['Paris'] }, calling)).toBe(0);
});

test('tools of a kind of their own are tools all the same', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{}' } };
  const calling = { message: { role: 'assistant', content: null, tool_calls: [call] } };
  expect(complaints(withoutTools, { tools: [] }, calling)).toBe(1);
  expect(complaints(withoutTools, { tools: [{ type: 'search' }] }, calling)).toBe(0);
});

test('a stream without any event does not end with [DONE]', () => {
  const ended = (how: 'complete' | 'client-abort'): number => {
    const trace = new TraceBuilder();
    trace.add('createChatCompletion', { body: { model: 'any', stream: true } }, { events: [], how });
    return hear(doneLast, trace.exchanges).complaints.length;
  };
  expect([ended('complete'), ended('client-abort')]).toEqual([1, 0]);
});
