import { expect, test } from 'vitest';
import type { Json } from '../../exchange/body.ts';
import type { Behaviour, Evidence } from '../../judge/requirement.ts';
import { hear } from '../../judge/testing/hear.ts';
import { TraceBuilder } from '../../judge/testing/trace.ts';
import { choicesAsAsked, someChoice } from './prompts.requirements.ts';
import { doneLast } from './stream.requirements.ts';
import { logprobsOnlyWhenAsked, logprobsWhenAsked, stopLeftOut } from './texts.requirements.ts';

function complaints<E extends Evidence>(
  rule: Behaviour<E>,
  asked: Readonly<Record<string, Json>>,
  ...choices: readonly Readonly<Record<string, Json>>[]
): number {
  const trace = new TraceBuilder();
  const json = { choices: choices.map((one, index) => ({ index, finish_reason: 'stop', ...one })) };
  trace.add('createCompletion', { body: { model: 'any', ...asked } }, { json });
  return hear(rule, trace.exchanges).complaints.length;
}

test('an empty list of prompts asks for nothing that is known', () => {
  expect(complaints(choicesAsAsked, { prompt: [], n: 1 })).toBe(0);
  expect(complaints(someChoice, { prompt: [] })).toBe(0);
  expect(complaints(choicesAsAsked, { prompt: [40, 41], n: 1 })).toBe(1);
});

test('a stop sequence may stand in a prompt that is echoed, whichever prompt it was', () => {
  const asked = { echo: true, stop: '7' };
  expect(complaints(stopLeftOut, { ...asked, prompt: ['5', '5 6 7'] }, { text: '5 6 7 and on' })).toBe(0);
  expect(complaints(stopLeftOut, { ...asked, prompt: [40, 41] }, { text: '6 7 8' })).toBe(0);
  expect(complaints(stopLeftOut, { ...asked, prompt: '5' }, { text: '5 6 7' })).toBe(1);
  expect(complaints(stopLeftOut, { stop: '7', prompt: [40, 41] }, { text: '6 7 8' })).toBe(1);
});

test('an object without a number tells no log probabilities', () => {
  for (const logprobs of [{}, { tokens: [], token_logprobs: [], top_logprobs: null }]) {
    expect(complaints(logprobsOnlyWhenAsked, {}, { text: 'a', logprobs })).toBe(0);
    expect(complaints(logprobsWhenAsked, { logprobs: 2 }, { text: 'a', logprobs })).toBe(1);
  }
  const told = { text: 'a', logprobs: { of_each: [{ a: -0.1 }] } };
  expect(complaints(logprobsOnlyWhenAsked, {}, told)).toBe(1);
  expect(complaints(logprobsWhenAsked, { logprobs: 2 }, told)).toBe(0);
});

test('a stream without any event does not end with [DONE]', () => {
  const trace = new TraceBuilder();
  trace.add('createCompletion', { body: { model: 'any', stream: true } }, { events: [] });
  expect(hear(doneLast, trace.exchanges).complaints).toHaveLength(1);
});
