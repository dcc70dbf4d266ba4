import { expect, test } from 'vitest';
import { judgeRequirement } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import { chatReplyForcedTokenRepeats } from './chat/reply.requirements.ts';
import { completionsTextForcedTokenRepeats } from './completions/texts.requirements.ts';

const body = { model: 'any', logit_bias: { '64': 100 }, max_tokens: 3 };
const usage = { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 };

function judgeText(text: string, completion_tokens = 3) {
  const trace = new TraceBuilder();
  const choices = [{ index: 0, text, finish_reason: 'length', logprobs: null }];
  const json = { id: 'a', choices, usage: { ...usage, completion_tokens } };
  trace.add('createCompletion', { body: { ...body, prompt: 'Say.' } }, { json });
  return judgeRequirement(completionsTextForcedTokenRepeats, trace.exchanges);
}

function judgeTokens(...tokens: readonly string[]) {
  const trace = new TraceBuilder();
  const logprobs = {
    content: tokens.map((token) => ({ token, logprob: -1, bytes: null, top_logprobs: [] })),
  };
  const message = { role: 'assistant', content: tokens.join('') };
  const choices = [{ index: 0, message, finish_reason: 'length', logprobs }];
  const messages = [{ role: 'user', content: 'Say.' }];
  trace.add('createChatCompletion', { body: { ...body, messages } }, { json: { id: 'a', choices, usage } });
  return judgeRequirement(chatReplyForcedTokenRepeats, trace.exchanges);
}

test.each([' the the the', 'the the the', 'the   the   the', 'aaa', '', '\n\n\n'])(
  'the text %j may consist of one repeated token',
  (text) => {
    expect(judgeText(text)).toEqual({ observations: 1, violations: [] });
  },
);

test('a text of several tokens, as without the bias, is a violation', () => {
  const expected = 'one token 3 times: logit_bias forces token 64';
  expect(judgeText('The sky is').violations).toMatchObject([{ expected }]);
});

test('a text that ends early, perhaps by the token itself, proves nothing', () => {
  expect(judgeText('aa', 2)).toEqual({ observations: 0, violations: [] });
});

test('white space in front of the first token of a reply may be omitted', () => {
  expect(judgeTokens('the', ' the', ' the')).toEqual({ observations: 1, violations: [] });
});

test('a different token in a reply is a violation', () => {
  const expected = '"the", as before: logit_bias forces token 64';
  expect(judgeTokens(' the', ' the', ' sky').violations).toMatchObject([{ expected }]);
});
