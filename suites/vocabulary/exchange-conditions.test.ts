import { expect, test } from 'vitest';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { type ExchangeCondition, requestLeavesOut, requestSets } from './exchange-conditions.ts';

/** Whether conditions hold for a request with a body, whose response has a null. */
function holds(body: object, ...conditions: readonly ExchangeCondition[]): readonly boolean[] {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body: JSON.parse(JSON.stringify(body)) }, { json: { text: null } });
  return trace.exchanges.flatMap((exchange) => conditions.map((condition) => condition(exchange)));
}

test('a field that is null is neither set nor left out by a request', () => {
  const all = [requestSets('n'), requestLeavesOut('n')];
  expect(holds({ n: 1 }, ...all)).toEqual([true, false]);
  expect(holds({ n: null }, ...all)).toEqual([false, false]);
  expect(holds({}, ...all)).toEqual([false, true]);
});
