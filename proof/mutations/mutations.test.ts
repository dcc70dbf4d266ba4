import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { dropEvent, firstEvent, inEvent, inResponse, lastEvent, moveEvent } from './mutations.ts';
import { setValue } from './values.ts';

const CHAT = 'createChatCompletion';

function createStream(...events: string[]): Exchange {
  return new TraceBuilder().add(CHAT, { body: { stream: true } }, { events });
}

function listData(exchange: Exchange | undefined): readonly string[] {
  const response = exchange?.response;
  return response ? (eventsOf(response)?.events.map(({ data }) => data) ?? []) : [];
}

test('mutations drop, move and change events of a stream', () => {
  const trace = [createStream('{"n":1}', '{"n":2}', '[DONE]')];
  expect(listData(dropEvent(CHAT, lastEvent)(trace)?.[0])).toEqual(['{"n":1}', '{"n":2}']);
  expect(listData(moveEvent(CHAT, firstEvent, 'back')(trace)?.[0])).toEqual(['{"n":2}', '[DONE]', '{"n":1}']);
  const changed = inEvent(CHAT, firstEvent, setValue('/n', 5))(trace)?.[0];
  expect(listData(changed)).toEqual(['{"n":5}', '{"n":2}', '[DONE]']);
});

test('a mutation of an operation without a successful response returns null', () => {
  expect(inResponse('listModels', setValue('/data', []))([createStream('{}')])).toBeNull();
  const refused = new TraceBuilder().add('listModels', {}, { status: 400, json: { data: [1] } });
  expect(inResponse('listModels', setValue('/data', []))([refused])).toBeNull();
});
