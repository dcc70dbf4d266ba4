import { describe, expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import {
  chatPairCallsNotAsText,
  chatPairSameCalls,
  chatPairSameCharacters,
  chatPairSameCompletionTokens,
  chatPairSameFinishReason,
  chatPairSameText,
  chatPairSameTokens,
  chatPairSameWords,
} from './pairs.requirements.ts';
import { chatStreamForcedFunctionCalled, chatToolsForcedFunctionCalled } from './tools.requirements.ts';

interface Reply {
  readonly text?: string;
  readonly call?: string;
  readonly finish: string;
  readonly tokens?: readonly string[];
  readonly count?: number;
}

const forced = { tool_choice: { type: 'function', function: { name: 'f' } } };

function createAnswer(replies: readonly Reply[]): Json {
  const count = replies[0]?.count;
  return {
    choices: replies.map(({ text, call, finish, tokens }, index) => {
      const tool_calls =
        call === undefined ? [] : [{ id: 'c', type: 'function', function: { name: 'f', arguments: call } }];
      const content = tokens?.map((token) => ({ token }));
      return {
        index,
        message: { role: 'assistant', content: text ?? null, tool_calls },
        logprobs: content === undefined ? null : { content },
        finish_reason: finish,
      };
    }),
    ...(count !== undefined && { usage: { completion_tokens: count } }),
  };
}

function createChunks(replies: readonly Reply[]): readonly Json[] {
  const choices = replies.map(({ text = '', call, finish, tokens }, index) => {
    const tool_calls =
      call === undefined
        ? []
        : [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: call } }];
    const content = tokens?.map((token) => ({ token }));
    const logprobs = content === undefined ? null : { content };
    return { index, delta: { content: text, tool_calls }, logprobs, finish_reason: finish };
  });
  const count = replies[0]?.count;
  const usage = count === undefined ? [] : [{ choices: [], usage: { completion_tokens: count } }];
  return [{ choices }, ...usage].map((chunk) => JSON.stringify(chunk)).concat('[DONE]');
}

/**
 * Judges non-streamed and streamed replies to one request. `conclusive` has one element for each violation. An array is
 * one reply with several choices.
 */
function judgePair<E extends Evidence>(
  rule: BehaviourRequirement<E>,
  plain: readonly (Reply | readonly Reply[])[],
  streamed: readonly (Reply | readonly Reply[])[],
  fields: Readonly<Record<string, Json>> = {},
): { readonly observations: number; readonly conclusive: readonly boolean[] } {
  const trace = new TraceBuilder();
  const body = { model: 'any', messages: [], ...fields };
  for (const reply of plain)
    trace.add('createChatCompletion', { body }, { json: createAnswer([reply].flat()) });
  for (const reply of streamed)
    trace.add(
      'createChatCompletion',
      { body: { ...body, stream: true } },
      { events: createChunks([reply].flat()) },
    );
  const { observations, violations } = judgeRequirement(rule, trace.exchanges);
  return { observations, conclusive: violations.map(({ inconclusive }) => inconclusive === undefined) };
}

const twice = <T>(one: T): readonly T[] => [one, one];

describe('a streamed reply and the same one without streaming', () => {
  const text: Reply = { text: 'a', finish: 'stop', count: 1 };
  const called: Reply = { call: '{"b":1, "a":2}', finish: 'tool_calls' };

  test('have the same words, unless their letters differ', () => {
    const spoken = { text: 'I am here', finish: 'stop' };
    const joined = twice({ ...spoken, text: 'Iamhere' });
    expect(judgePair(chatPairSameWords, twice(spoken), joined).conclusive).toEqual([true]);
    expect(judgePair(chatPairSameWords, [spoken], joined).conclusive).toEqual([false]);
    const padded = twice({ ...spoken, text: ' I am\nhere ' });
    expect(judgePair(chatPairSameWords, twice(spoken), padded).conclusive).toEqual([]);
    expect(judgePair(chatPairSameWords, twice(spoken), twice({ ...spoken, text: 'Here' })).observations).toBe(
      0,
    );
  });

  test('have the same characters beyond ASCII, unless the last one is cut off', () => {
    const spoken = { text: 'Grüße, 東京', finish: 'stop' };
    const streams = ['GrÃ¼Ãe, æ±äº¬', 'Gr??e, ??', 'Gre, ', 'Gr\u{FFFD}\u{FFFD}e, 東京'];
    for (const text of streams)
      expect(judgePair(chatPairSameCharacters, twice(spoken), twice({ ...spoken, text })).conclusive).toEqual(
        [true],
      );
    const marks = twice({ ...spoken, text: 'Gr??e, ??' });
    expect(judgePair(chatPairSameCharacters, marks, twice(spoken)).conclusive).toEqual([true]);
    expect(judgePair(chatPairSameCharacters, [spoken], [{ ...spoken, text: 'Gr??e' }]).conclusive).toEqual([
      false,
    ]);
    const cut = twice({ ...spoken, text: 'Grüße, 東京\u{FFFD}' });
    expect(judgePair(chatPairSameCharacters, twice(spoken), cut).conclusive).toEqual([]);
    const ascii = twice({ ...spoken, text: 'Hello' });
    expect(judgePair(chatPairSameCharacters, ascii, ascii).observations).toBe(0);
  });

  test('may differ in characters beyond ASCII if their ASCII letters differ or are missing', () => {
    const spoken = { text: 'Grüße, 東京', finish: 'stop' };
    const others = [twice({ ...spoken, text: 'Tschüss' }), twice({ ...spoken, text: 'Hello' })];
    for (const other of others)
      expect(judgePair(chatPairSameCharacters, twice(spoken), other).observations).toBe(0);
    // Without ASCII letters nothing shows that two replies are the same text.
    for (const [plain, text] of [
      ['好的', '好'],
      ['👍', '🎉'],
    ] as const)
      expect(
        judgePair(chatPairSameCharacters, twice({ ...spoken, text: plain }), twice({ ...spoken, text }))
          .conclusive,
      ).toEqual([]);
  });

  test('differ if only the stream has the arguments of its calls as text', () => {
    const leaking = twice({ ...called, text: `I look. ${called.call ?? ''}` });
    expect(judgePair(chatPairCallsNotAsText, twice(called), leaking).conclusive).toEqual([true]);
    expect(judgePair(chatPairCallsNotAsText, leaking, leaking).conclusive).toEqual([]);
    expect(judgePair(chatPairCallsNotAsText, leaking, twice(called)).conclusive).toEqual([]);
    expect(judgePair(chatPairCallsNotAsText, [called], leaking.slice(1)).conclusive).toEqual([false]);
    // The first stream differs in a way that is permitted, the second one leaks.
    const leak = { ...called, text: called.call ?? '' };
    const streams = [
      [called, called],
      [called, leak],
    ];
    expect(judgePair(chatPairCallsNotAsText, twice([leak, called]), streams).conclusive).toEqual([false]);
  });

  test('may have other text next to calls', () => {
    const chatty = [
      { ...called, text: 'I look.' },
      { ...called, text: 'Wait.' },
    ];
    expect(judgePair(chatPairCallsNotAsText, twice(called), chatty).conclusive).toEqual([]);
    // Arguments without a word may be text by chance.
    const bare = { ...called, call: '{}' };
    const braces = twice({ ...bare, text: 'An object: {}' });
    expect(judgePair(chatPairCallsNotAsText, twice(bare), braces).conclusive).toEqual([]);
  });

  test('have the same calls, whatever the white space and the order of the arguments', () => {
    const spaced = { ...called, call: '{ "a": 2, "b": 1 }' };
    expect(judgePair(chatPairSameCalls, twice(called), twice(spaced)).conclusive).toEqual([]);
    const other = { ...called, call: '{"a":2}' };
    expect(judgePair(chatPairSameCalls, twice(called), twice(other)).conclusive).toEqual([true]);
    expect(judgePair(chatPairSameCalls, twice(called), twice(text)).conclusive).toEqual([true]);
  });

  test('have the same calls if their arguments are equal and nested in 100,000 lists', () => {
    const nested = { ...called, call: `${'['.repeat(100_000)}${']'.repeat(100_000)}` };
    expect(judgePair(chatPairSameCalls, twice(nested), twice(nested)).conclusive).toEqual([]);
  });

  test('may differ without a conclusive violation if a model samples', () => {
    const other = { ...called, call: '{"a":2}' };
    expect(judgePair(chatPairSameCalls, [called], [other]).conclusive).toEqual([false]);
    expect(judgePair(chatPairSameCalls, [called, other], [other, called]).conclusive).toEqual([]);
    expect(
      judgePair(chatPairSameCalls, twice(called), [other, { ...called, call: '{}' }]).conclusive,
    ).toEqual([false]);
  });

  test('are not compared if one of them lacks the call that the request forces', () => {
    expect(judgePair(chatPairSameCalls, twice(called), twice(text), forced)).toEqual({
      observations: 0,
      conclusive: [],
    });
  });

  test('end for the same reason if their content is the same', () => {
    const cut = { ...text, finish: 'length' };
    expect(judgePair(chatPairSameFinishReason, twice(text), twice(cut)).conclusive).toEqual([true]);
    expect(judgePair(chatPairSameFinishReason, [text], [cut]).conclusive).toEqual([false]);
    const longer = { ...cut, text: 'ab' };
    expect(judgePair(chatPairSameFinishReason, twice(text), twice(longer))).toEqual({
      observations: 0,
      conclusive: [],
    });
  });

  test('count the same tokens if their content is the same', () => {
    const more = { ...text, count: 2 };
    expect(judgePair(chatPairSameCompletionTokens, twice(text), twice(more)).conclusive).toEqual([true]);
    expect(judgePair(chatPairSameCompletionTokens, twice(text), twice(text)).conclusive).toEqual([]);
    const longer = twice({ ...more, text: 'ab' });
    expect(judgePair(chatPairSameCompletionTokens, twice(text), longer).observations).toBe(0);
    const { count: _, ...uncounted } = text;
    expect(judgePair(chatPairSameCompletionTokens, twice(text), twice(uncounted)).observations).toBe(0);
  });

  test('have log probabilities of the same tokens', () => {
    const withTokens = (...tokens: readonly string[]) => twice<Reply>({ text: 'ab', finish: 'stop', tokens });
    const asked = { logprobs: true };
    const twoTokens = withTokens('a', 'b');
    expect(judgePair(chatPairSameTokens, twoTokens, withTokens('ab'), asked).conclusive).toEqual([true]);
    expect(judgePair(chatPairSameTokens, twoTokens, twoTokens, asked).conclusive).toEqual([]);
  });
});

test('a finding about different texts shows both as lists, one text per choice', () => {
  const trace = new TraceBuilder();
  const body = { model: 'm', messages: [{ role: 'user', content: 'Say assay.' }], temperature: 0 };
  const choice = { index: 0, message: { role: 'assistant', content: 'He said "a".' }, finish_reason: 'stop' };
  const piece = { index: 0, delta: { role: 'assistant', content: 'b' }, finish_reason: 'stop' };
  for (let round = 0; round < 2; round += 1) {
    trace.add('createChatCompletion', { body }, { json: { choices: [choice] } });
    trace.add(
      'createChatCompletion',
      { body: { ...body, stream: true } },
      { events: [{ choices: [piece] }, '[DONE]'] },
    );
  }
  const [violation] = judgeRequirement(chatPairSameText, trace.exchanges).violations;
  expect(violation).toMatchObject({ expected: '["He said \\"a\\"."]', actual: ['b'] });
});

describe('a function that the request forces', () => {
  const words: Reply = { text: 'No.', finish: 'stop' };
  const called: Reply = { call: '{}', finish: 'tool_calls' };

  test('is called in streams if it is called in non-streamed replies, and vice versa', () => {
    expect(judgePair(chatStreamForcedFunctionCalled, [called], twice(words), forced)).toEqual({
      observations: 2,
      conclusive: [true, true],
    });
    expect(judgePair(chatToolsForcedFunctionCalled, [words], [called], forced)).toEqual({
      observations: 1,
      conclusive: [true],
    });
  });

  test('gives only an inconclusive violation if no reply calls it', () => {
    expect(judgePair(chatStreamForcedFunctionCalled, [words], [words], forced).conclusive).toEqual([false]);
  });
});
