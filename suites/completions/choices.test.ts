import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { completionsIndexOrder, completionsLogprobsCount } from './choices.requirements.ts';

function readOrder(prompt: Json, ...texts: readonly string[]): readonly string[] {
  const trace = new TraceBuilder();
  const choices = texts.map((text, index) => ({ index, text, finish_reason: 'stop' }));
  trace.add('createCompletion', { body: { model: 'any', echo: true, n: 2, prompt } }, { json: { choices } });
  return takenAlternatives(completionsIndexOrder, trace.exchanges);
}

test('choices show an order only if the text of each prompt differs from the beginning of the others', () => {
  expect(readOrder(['one', 'two'], 'one a', 'one b', 'two a', 'two b')).toEqual(['prompt by prompt']);
  expect(readOrder(['one', 'two'], 'one a', 'two a', 'one b', 'two b')).toEqual(['in turn']);
  expect(readOrder(['one', 'two'], 'two a', 'two b', 'one a', 'one b')).toEqual(['otherwise']);
  expect(readOrder(['one', 'one more'], 'one a', 'one b', 'one more a', 'one more b')).toEqual([]);
  expect(readOrder([[40, 41], [42]], 'one a', 'one b', 'two a', 'two b')).toEqual([]);
});

test('choices show no order if there are more or fewer than requested', () => {
  expect(readOrder(['one', 'two'], 'one a', 'two a')).toEqual([]);
  expect(readOrder(['one', 'two'], 'one a', 'one b', 'one c', 'two a', 'two b', 'two c')).toEqual([]);
});

test.each([
  [1, 'at most as many as requested'],
  [2, 'at most as many as requested'],
  [3, 'more than requested'],
  [5, 'more than requested'],
])('with logprobs: 2, returning %i candidates counts as "%s"', (count, alternative) => {
  const trace = new TraceBuilder();
  const likely = Object.fromEntries(Array.from({ length: count }, (_, i) => [`token ${i}`, -1]));
  const choice = { index: 0, text: 'a', finish_reason: 'stop', logprobs: { top_logprobs: [likely] } };
  trace.add('createCompletion', { body: { model: 'any', logprobs: 2 } }, { json: { choices: [choice] } });
  expect(takenAlternatives(completionsLogprobsCount, trace.exchanges)).toEqual([alternative]);
});
