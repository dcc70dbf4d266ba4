import { describe, expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { chatToolsResultsContinued } from './results.requirements.ts';

describe('the result of a tool call', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const question: Json = { role: 'user', content: 'What is the weather?' };
  const conversation = (result: Readonly<Record<string, Json>>, content: Json = ''): readonly Json[] => [
    question,
    { role: 'assistant', content, tool_calls: [call] },
    { role: 'tool', content: 'sunny', ...result },
  ];
  const judgeResult = (
    messages: readonly Json[],
    status: number,
    { before = 200, scenario = 'chat.some' }: { before?: number; scenario?: string | null } = {},
  ): readonly string[] => {
    const trace = new TraceBuilder();
    const beginning = { model: 'any', messages: [question] };
    trace.add('createChatCompletion', { body: beginning }, { status: before, json: {} });
    const body = { model: 'any', messages };
    trace.add('createChatCompletion', { body }, { status, json: {} });
    const exchanges = trace.exchanges.map((one) => ({ ...one, scenario }));
    return judgeRequirement(chatToolsResultsContinued, exchanges).violations.map(
      ({ inconclusive }) => inconclusive ?? 'conclusive',
    );
  };

  test('must be accepted in a run, except for a 429; in other traffic a refusal may have another reason', () => {
    const messages = conversation({ tool_call_id: 'call_1' });
    const statuses = [200, 400, 500, 429];
    expect(statuses.map((status) => judgeResult(messages, status))).toEqual([
      [],
      ['conclusive'],
      ['conclusive'],
      [],
    ]);
    expect(statuses.flatMap((status) => judgeResult(messages, status, { scenario: null }))).toEqual([]);
  });

  test('need not be accepted if the beginning of the conversation was not', () => {
    expect(judgeResult(conversation({ tool_call_id: 'call_1' }), 400, { before: 400 })).toEqual([]);
  });

  test('need not be accepted without its call, or if the message with the call has null as content', () => {
    expect(judgeResult(conversation({ tool_call_id: 'call_2' }), 400)).toEqual([]);
    expect(judgeResult(conversation({ tool_call_id: 'call_1' }, null), 400)).toEqual([]);
  });
});
