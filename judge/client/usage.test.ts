import { expect, test } from 'vitest';
import { subjects } from '../probe/request-constraints.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { UsageTracker } from './usage.ts';

function usageOf({ exchanges }: Pick<TraceBuilder, 'exchanges'>) {
  const tracker = new UsageTracker();
  for (const exchange of exchanges) {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call !== null) tracker.call(call);
  }
  return new Map(tracker.usage().map((one) => [one.subject, one]));
}

test('operations, fields, listed values and events are counted', () => {
  const trace = new TraceBuilder();
  const body = { model: 'm', messages: [], tool_choice: 'auto', stream: true };
  trace.add('createChatCompletion', { body }, { events: [{ id: 'c' }, '[DONE]'] });
  trace.add('listAssistants', { beta: 'assistants=v1', query: { order: 'asc' } });
  const usage = usageOf(trace);
  const chat = usage.get('createChatCompletion');
  const times = (name: string) => chat?.parameters.find((one) => one.name === name)?.times;
  expect([chat?.requests, times('body.stream')]).toEqual([1, 1]);
  const choice = chat?.parameters.find(({ values }) => values.some(({ name }) => name === '"auto"'));
  expect(choice?.values).toContainEqual({ name: '"auto"', times: 1 });
  expect(chat?.events).toEqual([{ name: 'data', times: 1 }]);
  const order = usage.get('listAssistants.v1')?.parameters.find(({ name }) => name === 'query.order');
  expect(order?.values).toEqual([
    { name: 'asc', times: 1 },
    { name: 'desc', times: 0 },
  ]);
});

test('listed values of a query parameter are counted if others are permitted, too', () => {
  const trace = new TraceBuilder();
  trace.add('listFiles', { query: { purpose: 'batch' } });
  const purpose = usageOf(trace)
    .get('listFiles')
    ?.parameters.find(({ name }) => name === 'query.purpose');
  expect(purpose?.values).toEqual(
    expect.arrayContaining([
      { name: 'batch', times: 1 },
      { name: 'assistants', times: 0 },
    ]),
  );
});

test('a field that two schemas describe counts once for each of its values', () => {
  const messages = ['a', 'b'].map((content) => ({ role: 'user', content }));
  const trace = new TraceBuilder();
  const body = { model: 'm', messages, response_format: { type: 'json_object' } };
  trace.add('createChatCompletion', { body }, { json: {} });
  const { parameters = [] } = usageOf(trace).get('createChatCompletion') ?? {};
  const times = (name: string) => parameters.find((one) => one.name === name)?.times;
  expect([times('body.response_format'), times('body.messages[].role')]).toEqual([1, 2]);
});

test('unused operations, fields and listed values are reported with the count 0', () => {
  const usage = usageOf(new TraceBuilder());
  expect(usage.size).toBe(subjects().length);
  const chat = usage.get('createChatCompletion');
  expect(chat?.requests).toBe(0);
  expect(chat?.parameters.find(({ name }) => name === 'body.temperature')?.times).toBe(0);
  expect(chat?.parameters.flatMap(({ values }) => values)).toContainEqual({ name: '"none"', times: 0 });
});

test('requests of the suite do not count', () => {
  const trace = new TraceBuilder();
  const probe = {
    id: 'p',
    operation: 'listModels',
    pointer: 'query',
    keyword: 'required',
    side: 'valid',
  } as const;
  const probed = trace.add('listModels', { probe: { ...probe, control: null } });
  const ofScenario = { ...trace.add('listModels'), scenario: 'models.list' };
  expect(usageOf({ exchanges: [probed, ofScenario] }).get('listModels')?.requests).toBe(0);
});
