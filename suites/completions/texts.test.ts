import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { completionsTextStopLeftOut, completionsUsageFitsText } from './texts.requirements.ts';

const completionsTextChoicesAsAsked = requirementFromRow('completions.text.choices-as-asked');
const completionsTextEachPromptContinued = requirementFromRow('completions.text.each-prompt-continued');
const completionsTextLogprobsWhenAsked = requirementFromRow('completions.text.logprobs-when-asked');

function countViolations<E extends Evidence>(
  rule: BehaviourRequirement<E>,
  fields: Readonly<Record<string, Json>>,
  ...choices: readonly Readonly<Record<string, Json>>[]
): number {
  const trace = new TraceBuilder();
  const json = { choices: choices.map((one, index) => ({ index, finish_reason: 'stop', ...one })) };
  trace.add('createCompletion', { body: { model: 'any', ...fields } }, { json });
  return judgeRequirement(rule, trace.exchanges).violations.length;
}

test('the number of texts is judged for a prompt of tokens, but not for an empty list of prompts', () => {
  const countObservations = (
    rule: BehaviourRequirement<Evidence>,
    fields: Readonly<Record<string, Json>>,
  ) => {
    const trace = new TraceBuilder();
    const json = { choices: [{ index: 0, text: 'a', finish_reason: 'stop' }] };
    trace.add('createCompletion', { body: { model: 'any', ...fields } }, { json });
    return judgeRequirement(rule, trace.exchanges).observations;
  };
  expect(countObservations(completionsTextChoicesAsAsked, { prompt: [], n: 1 })).toBe(0);
  expect(countObservations(completionsTextChoicesAsAsked, { prompt: [40, 41], n: 1 })).toBe(1);
  expect(countObservations(completionsTextEachPromptContinued, { prompt: [] })).toBe(0);
  expect(countObservations(completionsTextEachPromptContinued, { prompt: [40, 41] })).toBe(1);
  expect(countViolations(completionsTextChoicesAsAsked, { prompt: [40, 41], n: 1 })).toBe(1);
});

test('a stop sequence inside an echoed prompt does not count', () => {
  const fields = { echo: true, stop: '7' };
  expect(
    countViolations(
      completionsTextStopLeftOut,
      { ...fields, prompt: ['5', '5 6 7'] },
      { text: '5 6 7 and on' },
    ),
  ).toBe(0);
  expect(
    countViolations(completionsTextStopLeftOut, { ...fields, prompt: [40, 41] }, { text: '6 7 8' }),
  ).toBe(0);
  expect(countViolations(completionsTextStopLeftOut, { ...fields, prompt: '5' }, { text: '5 6 7' })).toBe(1);
  expect(
    countViolations(completionsTextStopLeftOut, { stop: '7', prompt: [40, 41] }, { text: '6 7 8' }),
  ).toBe(1);
});

test.each([
  ['cut off without one', 5, 'one two', { observations: 0, violations: 0 }],
  ['ended before max_tokens', 4, 'one two', { observations: 1, violations: 0 }],
  ['cut off after one', 5, 'one 7 two', { observations: 1, violations: 1 }],
])(
  'a text is evidence about stop sequences if it ended before max_tokens or contains one: %s',
  (_, used, text, expected) => {
    const trace = new TraceBuilder();
    const usage = { prompt_tokens: 1, completion_tokens: used, total_tokens: used + 1 };
    const json = { choices: [{ index: 0, text, finish_reason: 'length' }], usage };
    trace.add('createCompletion', { body: { model: 'any', stop: '7', max_tokens: 5 } }, { json });
    const { observations, violations } = judgeRequirement(completionsTextStopLeftOut, trace.exchanges);
    expect({ observations, violations: violations.length }).toEqual(expected);
  },
);

test('an object without a number does not count as log probabilities', () => {
  for (const logprobs of [{}, { tokens: [], token_logprobs: [], top_logprobs: null }]) {
    expect(countViolations(completionsTextLogprobsWhenAsked, { logprobs: 2 }, { text: 'a', logprobs })).toBe(
      1,
    );
  }
  const reported = { text: 'a', logprobs: { of_each: [{ a: -0.1 }] } };
  expect(countViolations(completionsTextLogprobsWhenAsked, { logprobs: 2 }, reported)).toBe(0);
});

test.each([
  ['a running total', {}, 1, 'stop', 200, 1],
  ['as many as the text may have', {}, 1, 'stop', 60, 0],
  ['all of max_tokens', { max_tokens: 200 }, 1, 'stop', 200, 0],
  ['a text that is cut off', {}, 1, 'length', 200, 0],
  ['a running total at a low limit', { max_tokens: 8 }, 1, 'length', 200, 1],
  ['a token without text', { logit_bias: { 1: 100 } }, 1, 'stop', 200, 0],
  ['candidates that are not shown', { best_of: 20 }, 1, 'stop', 200, 0],
  ['candidates of several prompts', { best_of: 20, prompt: ['a', 'b', 'c'] }, 3, 'stop', 900, 0],
] as const)(
  'completion_tokens are compared with what a text can contain: %s',
  (_, fields, choices, end, counted, expected) => {
    const trace = new TraceBuilder();
    const usage = { prompt_tokens: 1, completion_tokens: counted, total_tokens: counted + 1 };
    const texts = Array.from({ length: choices }, (_, index) => ({
      index,
      text: 'Hello',
      finish_reason: end,
    }));
    trace.add('createCompletion', { body: { model: 'any', ...fields } }, { json: { choices: texts, usage } });
    expect(judgeRequirement(completionsUsageFitsText, trace.exchanges).violations).toHaveLength(expected);
  },
);
