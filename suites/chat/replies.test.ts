import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { judgeServiceTraffic } from '../testing/service-traffic.ts';
import { chatStopKept } from './choices.requirements.ts';
import {
  chatLogprobsOfProbabilities,
  chatReplyJsonModeIsJson,
  chatReplyNothingAfterStop,
  chatReplyTextOrCalls,
} from './reply.requirements.ts';

const chatReplyChoicesAsAsked = requirementFromRow('chat.reply.choices-as-asked');
const chatReplyLogprobsWhenAsked = requirementFromRow('chat.reply.logprobs-when-asked');
const chatReplyLogprobsOnlyWhenAsked = requirementFromRow('chat.reply.logprobs-only-when-asked');
const chatToolsArgumentsAreJson = requirementFromRow('chat.tools.arguments-are-json');
const chatToolsFinishReasonKnown = requirementFromRow('chat.tools.finish-reason-known');
const chatToolsNoToolsNoCalls = requirementFromRow('chat.tools.no-tools-no-calls');

function countViolations<E extends Evidence>(
  rule: BehaviourRequirement<E>,
  asked: Readonly<Record<string, Json>>,
  choice: Readonly<Record<string, Json>>,
): number {
  const trace = new TraceBuilder();
  const body = { model: 'any', messages: [], ...asked };
  const json = { choices: [{ index: 0, finish_reason: 'stop', ...choice }] };
  trace.add('createChatCompletion', { body }, { json });
  return judgeRequirement(rule, trace.exchanges).violations.length;
}

const text = { message: { role: 'assistant', content: 'assay' } };
const entry = { token: 'assay', logprob: -0.1, bytes: null, top_logprobs: [] };

function createCallChoice(argumentsText: string) {
  const call = { id: 'call_1', type: 'function', function: { name: 'search', arguments: argumentsText } };
  return { message: { role: 'assistant', content: null, tool_calls: [call] } };
}

test('an empty list of log probabilities counts as a missing one', () => {
  const empty = { ...text, logprobs: { content: [] } };
  expect(countViolations(chatReplyLogprobsOnlyWhenAsked, {}, empty)).toBe(0);
  expect(countViolations(chatReplyLogprobsWhenAsked, { logprobs: true }, empty)).toBe(1);
  const reported = { ...text, logprobs: { content: [entry] } };
  expect(countViolations(chatReplyLogprobsOnlyWhenAsked, {}, reported)).toBe(1);
  expect(countViolations(chatReplyLogprobsWhenAsked, { logprobs: true }, reported)).toBe(0);
});

test.each<[fields: Readonly<Record<string, Json>>, expected: number]>([
  [{}, 1],
  [{ refusal: null, annotations: [], audio: {}, final: true }, 1],
  [{ refusal: '' }, 1],
  [{ refusal: 'I cannot.' }, 0],
  [{ audio: { parts: [{ transcript: 'assay' }] } }, 0],
])('a message without content, but with %j, gives %i violations', (fields, expected) => {
  const choice = { message: { role: 'assistant', content: null, ...fields } };
  expect(countViolations(chatReplyTextOrCalls, {}, choice)).toBe(expected);
});

test.each<[why: string, content: string, stop: readonly string[], ends: readonly string[]]>([
  ['the reply ends with it', '1, 2, 3', ['3'], []],
  ['the reply ends with a longer one that contains it', 'one <end>', ['end', '<end>'], []],
  ['the reply ends with one that overlaps it', 'abc', ['ab', 'bc'], []],
  ['the reply ends with two overlapping copies of it', 'one\n\n\n', ['\n\n'], []],
  ['text follows', '1, 2, 3, 4', ['3'], ['"3"']],
  ['the reply ends with a later one', '1, 2, 3, 4, 5', ['3', '5'], ['"3"']],
  ['the reply ends with its repetition', '1, 2, 3, 13', ['3'], ['"3"']],
])('nothing may follow a stop sequence: %s', (_, content, stop, ends) => {
  const trace = new TraceBuilder();
  const json = { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] };
  trace.add('createChatCompletion', { body: { model: 'any', messages: [], stop } }, { json });
  const { violations } = judgeRequirement(chatReplyNothingAfterStop, trace.exchanges);
  expect(violations.map(({ at, expected }) => [at, expected])).toEqual(
    ends.map((end) => ['/choices/0/message/content', `an end at ${end}`]),
  );
});

test('invalid JSON in a stream is reported in the delta of its last chunk', () => {
  const trace = new TraceBuilder();
  const response_format = { type: 'json_object' };
  const events = [
    { choices: [{ index: 0, delta: { content: 'assay' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    '[DONE]',
  ];
  trace.add('createChatCompletion', { body: { model: 'any', stream: true, response_format } }, { events });
  const { violations } = judgeRequirement(chatReplyJsonModeIsJson, trace.exchanges);
  expect(violations).toMatchObject([{ at: 'event 2 /choices/0/delta/content', actual: 'assay' }]);
});

test('in JSON mode a text must be JSON, unless it is empty and next to calls', () => {
  const json = { response_format: { type: 'json_object' } };
  const { message } = createCallChoice('{}');
  for (const finish_reason of ['stop', 'tool_calls']) {
    const choice = { finish_reason, message: { ...message, content: '' } };
    expect(countViolations(chatReplyJsonModeIsJson, json, choice)).toBe(0);
  }
  const proseAndCall = { message: { ...message, content: 'Here you are.' } };
  expect(countViolations(chatReplyJsonModeIsJson, json, proseAndCall)).toBe(1);
  const empty = { message: { role: 'assistant', content: '' } };
  expect(countViolations(chatReplyJsonModeIsJson, json, empty)).toBe(1);
});

test('in JSON mode a reply that max_tokens may have cut off must be the beginning of JSON', () => {
  const json = { response_format: { type: 'json_object' }, max_tokens: 1 };
  const choiceWith = (content: string) => ({ message: { role: 'assistant', content } });
  expect(countViolations(chatReplyJsonModeIsJson, json, choiceWith('{"word": '))).toBe(0);
  expect(countViolations(chatReplyJsonModeIsJson, json, choiceWith('Here'))).toBe(1);
});

test('a reply that a stop sequence of the caller may have cut off need not be JSON', () => {
  const json = { response_format: { type: 'json_object' } };
  const truncatedReply = { message: { role: 'assistant', content: '{"word": "assay"' } };
  expect(countViolations(chatReplyJsonModeIsJson, json, truncatedReply)).toBe(1);
  expect(countViolations(chatReplyJsonModeIsJson, { ...json, stop: null }, truncatedReply)).toBe(1);
  expect(countViolations(chatReplyJsonModeIsJson, { ...json, stop: '}' }, truncatedReply)).toBe(0);
});

test('arguments that a stop sequence of the caller may have cut off need not be JSON', () => {
  const choice = createCallChoice('{"city": ');
  expect(countViolations(chatToolsArgumentsAreJson, {}, choice)).toBe(1);
  expect(countViolations(chatToolsArgumentsAreJson, { stop: ['Paris'] }, choice)).toBe(0);
});

test('tools of another type count as tools', () => {
  const choice = createCallChoice('{}');
  expect(countViolations(chatToolsNoToolsNoCalls, { tools: [] }, choice)).toBe(1);
  expect(countViolations(chatToolsNoToolsNoCalls, { tools: [{ type: 'search' }] }, choice)).toBe(0);
});

test('an option with an invalid value, unlike an absent one, does not exclude its part of the reply', () => {
  const reported = { ...text, logprobs: { content: [entry] } };
  expect(countViolations(chatReplyLogprobsOnlyWhenAsked, { logprobs: { assay: true } }, reported)).toBe(0);
  expect(countViolations(chatReplyLogprobsOnlyWhenAsked, { logprobs: null }, reported)).toBe(1);
  const choice = createCallChoice('{}');
  expect(countViolations(chatToolsNoToolsNoCalls, { tools: { assay: true } }, choice)).toBe(0);
  expect(countViolations(chatToolsNoToolsNoCalls, {}, choice)).toBe(1);
});

const messageWithCall = { role: 'assistant', content: 'Hello', tool_calls: [{ id: 'call_1' }] };

test.each([
  ['tool_calls', 0],
  ['stop', 0],
  ['length', 0],
  ['tool_use', 1],
])('a reply with text, calls and the finish_reason %s has %i violations', (finish_reason, expected) => {
  expect(countViolations(chatToolsFinishReasonKnown, {}, { message: messageWithCall, finish_reason })).toBe(
    expected,
  );
});

test.each([
  [undefined, 0],
  [null, 0],
  [1, 0],
  [2, 1],
  [1.5, 0],
  [0, 0],
  [129, 0],
  ['2', 0],
])('one choice for n = %s gives %i violations', (n, expected) => {
  expect(countViolations(chatReplyChoicesAsAsked, n === undefined ? {} : { n }, text)).toBe(expected);
});

test.each([
  ['Count from 1 to 20.', '1, 2', ['stop']],
  // The reply may have ended by itself with its last token.
  ['Say assay.', 'assay.', []],
])(
  'only a reply that max_tokens surely cuts off shows which finish_reason it gets: %s',
  async (content, text, alternatives) => {
    const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
    const { choices } = await judgeServiceTraffic(
      [
        {
          call: 'POST /v1/chat/completions',
          sent: { model: 'm', messages: [{ role: 'user', content }], max_tokens: 3 },
          answer: { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage },
        },
      ],
      null,
    );
    expect(choices.find(({ id }) => id === 'chat.finish-reason.at-limit')?.taken).toEqual(alternatives);
  },
);

test.each([
  ['the token once more among its candidates', [-0.1, -0.1, -3], ['a', 'a', 'b'], 0],
  ['numbers that are rounded', [-0.69, -0.69], ['a', 'b'], 0],
  ['logits', [3, 1], ['a', 'b'], 1],
  ['probabilities with a sum above 1', [-0.1, -0.2], ['a', 'b'], 1],
])('the candidates of a token are judged by their probabilities: %s', (_, logprobs, tokens, expected) => {
  const candidates = tokens.map((token, i) => ({ token, logprob: logprobs[i] ?? 0, bytes: null }));
  const choice = { ...text, logprobs: { content: [{ ...entry, top_logprobs: candidates }] } };
  expect(countViolations(chatLogprobsOfProbabilities, { logprobs: true }, choice)).toBe(expected);
});

test.each<
  [why: string, replies: readonly [text: string, stop?: Json, finish?: string][], taken: readonly string[]]
>([
  ['no longer reply is known', [['1, 2, ', '3']], []],
  [
    'the longer reply has the same stop sequence',
    [
      ['1, 2, ', '3'],
      ['1, 2, 3, 4', '3'],
    ],
    [],
  ],
  ['every reply is the same', [['1, 2, 3', '3'], ['1, 2, 3', '4'], ['1, 2, 3']], []],
  ['a reply without stop continues with the sequence', [['1, 2,', '3'], ['1, 2, 3']], ['not in the content']],
  [
    'a reply with other stop sequences continues with it',
    [
      ['1, 2, 3, ', '4'],
      ['1, 2, ', ['4', '3']],
    ],
    ['not in the content'],
  ],
  ['the longer reply has another beginning', [['1, 2, ', '3'], ['2, 3, 4']], []],
  ['max_tokens may have ended it', [['1, 2, ', '3', 'length'], ['1, 2, 3']], []],
  ['the reply ends with the sequence', [['1, 2, 3', '3'], ['1, 2, 3, 4']], ['kept']],
  ['it ends with one of several', [['1 2 3', ['4', '3']], ['1 2 3 4']], ['kept']],
  ['the sequence is white space', [['Hello\n', '\n'], ['Hello\nWorld']], ['kept']],
  ['white space is kept by the only reply', [['Hello\n', '\n']], []],
])('whether a stop sequence is kept is judged by comparison with a longer reply: %s', (_, replies, taken) => {
  const trace = new TraceBuilder();
  for (const [content, stop, finish = 'stop'] of replies) {
    const body = { model: 'any', messages: [], ...(stop !== undefined && { stop }) };
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: finish };
    trace.add('createChatCompletion', { body }, { json: { choices: [choice] } });
  }
  expect(takenAlternatives(chatStopKept, trace.exchanges)).toEqual(taken);
});
