import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import {
  chatStreamCallIdOnce,
  chatStreamCallIdsDiffer,
  chatStreamCallNameOnce,
  chatStreamChoiceIndexesCountUp,
  chatStreamDeltasAreNew,
} from './stream.requirements.ts';

test('a last delta that repeats the whole text is a violation; a short repetition is not', () => {
  const listViolations = (texts: readonly string[]) => {
    const trace = new TraceBuilder();
    const piece = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    const body = { model: 'm', messages: [], stream: true };
    trace.add('createChatCompletion', { body }, { events: [...texts.map(piece), '[DONE]'] });
    return judgeRequirement(chatStreamDeltasAreNew, trace.exchanges).violations;
  };
  expect(listViolations(['One', ' two', ' three', 'One two three'])).toHaveLength(1);
  expect(listViolations(['One', ' two', ' three', ' four'])).toEqual([]);
  expect(listViolations(['ha', 'ha', 'haha'])).toEqual([]);
});

test.each([
  [[0, 1], []],
  [[1, 2], ['event 2 /choices/0/index']],
  [[-1, 0], ['event 1 /choices/0/index']],
])('of the choice indexes %j, those at %j do not count up from 0', (indexes, places) => {
  const trace = new TraceBuilder();
  const events = indexes.map((index) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] }));
  trace.add('createChatCompletion', { body: { model: 'm', messages: [], stream: true } }, { events });
  const { violations } = judgeRequirement(chatStreamChoiceIndexesCountUp, trace.exchanges);
  expect(violations.map(({ at }) => at)).toEqual(places);
});

test('two calls of a choice with the same id are reported at the second id, and calls without ids are not', () => {
  const judgeIds = (ids: readonly (string | null)[]) => {
    const trace = new TraceBuilder();
    const pieces = ids.map((id, index) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, id }] }, finish_reason: null }],
    }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
    const body = { model: 'm', messages: [], stream: true };
    trace.add('createChatCompletion', { body }, { events: [...pieces, end, '[DONE]'] });
    const { observations, violations } = judgeRequirement(chatStreamCallIdsDiffer, trace.exchanges);
    return { observations, at: violations.map(({ at }) => at) };
  };
  expect(judgeIds(['a', 'a'])).toEqual({
    observations: 1,
    at: ['event 2 /choices/0/delta/tool_calls/0/id'],
  });
  expect(judgeIds(['a', 'b'])).toEqual({ observations: 1, at: [] });
  for (const ids of [
    ['', ''],
    [null, null],
    ['a', ''],
  ])
    expect(judgeIds(ids)).toEqual({ observations: 0, at: [] });
});

test('a repeated id or name is reported at the repetition; null, empty texts and other calls do not count', () => {
  const judgePieces = (
    ...pieces: readonly (readonly [id: string | null, name: string | null, index?: number])[]
  ) => {
    const trace = new TraceBuilder();
    const events = pieces.map(([id, name, index = 0]) => {
      const call = { index, id, type: 'function', function: { name, arguments: '{}' } };
      return { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] };
    });
    const body = { model: 'm', messages: [], stream: true };
    trace.add('createChatCompletion', { body }, { events: [...events, '[DONE]'] });
    return [chatStreamCallIdOnce, chatStreamCallNameOnce].map((requirement) =>
      judgeRequirement(requirement, trace.exchanges).violations.map(({ at }) => at),
    );
  };
  const [id, name] = [
    'event 2 /choices/0/delta/tool_calls/0/id',
    'event 2 /choices/0/delta/tool_calls/0/function/name',
  ];
  expect(judgePieces(['a', 'get'], ['a', 'get'])).toEqual([[id], [name]]);
  expect(judgePieces(['a', 'get'], [null, 'get'])).toEqual([[], [name]]);
  expect(judgePieces(['a', 'get'], [null, null], ['', ''])).toEqual([[], []]);
  expect(judgePieces(['a', 'get'], ['b', 'get', 1])).toEqual([[], []]);
  // Another requirement judges two calls with the same index.
  expect(judgePieces(['a', 'get'], ['b', 'get'])).toEqual([[], []]);
  // Another requirement judges the first piece.
  expect(judgePieces([null, null], ['a', 'get'])).toEqual([[], []]);
});
