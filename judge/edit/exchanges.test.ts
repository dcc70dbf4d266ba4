import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Body } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import { events } from '../../exchange/events.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { first } from '../../exchange/headers.ts';
import { TraceBuilder } from '../testing/trace.ts';
import { dropEvent, first as firstEvent, inAnswer, inEvent, last, moveEvent } from './breaks.ts';
import { withAnswer, withBody } from './exchanges.ts';
import { frameWith, withEvents } from './streams.ts';
import { put } from './values.ts';

const CHAT = 'createChatCompletion';

function answered(json: object): Exchange {
  const text = JSON.stringify(json);
  const headers = [
    ['content-type', 'application/json'],
    ['Content-Length', String(text.length)],
  ] as const;
  return new TraceBuilder().add('listModels', {}, { text, headers });
}

function streamed(...events: string[]): Exchange {
  return new TraceBuilder().add(CHAT, { body: { stream: true } }, { events });
}

function dataOf(exchange: Exchange | undefined): readonly string[] {
  const response = exchange?.response;
  return response ? (events(response)?.events.map(({ data }) => data) ?? []) : [];
}

test('the length in the headers stays true', () => {
  const { response } = withAnswer(answered({ data: [] }), put('/data', [1, 2, 3]));
  expect(response?.body.text).toBe('{"data":[1,2,3]}');
  expect(first(response?.headers ?? [], 'content-length')).toBe('16');
});

test('a coded body is edited as what it means', () => {
  const plain = answered({ n: 1 });
  const zipped: Exchange = {
    ...plain,
    response: plain.response && {
      ...plain.response,
      headers: [...plain.response.headers, ['content-encoding', 'gzip']],
      body: Body.of(gzipSync('{"n":1}')),
    },
  };
  const { response } = withAnswer(zipped, put('/n', 2));
  expect(response && decoded(response)?.text).toBe('{"n":2}');
  expect(first(response?.headers ?? [], 'content-encoding')).toBeNull();
});

test('an edit that does not apply gives the very same exchange', () => {
  const exchange = answered({ n: 1 });
  expect(withAnswer(exchange, put('/n', 1))).toBe(exchange);
  expect(withEvents(exchange, () => [])).toBe(exchange);
});

test('untouched events keep their bytes', () => {
  const text = ': hello\ndata:{"n":1}\r\n\r\nevent: x\ndata: {"n":2}\n\n';
  const exchange = withBody(streamed('{}'), text);
  const changed = withEvents(exchange, ([one, two]) => [
    one ?? frameWith('', ''),
    frameWith(two?.event ?? '', '[3]'),
  ]);
  expect(changed.response?.body.text).toBe(': hello\ndata:{"n":1}\r\n\r\nevent: x\ndata: [3]\n\n');
});

test('breaks drop, move and change events of the successful streams of their operation', () => {
  const trace = [streamed('{"n":1}', '{"n":2}', '[DONE]')];
  expect(dataOf(dropEvent(CHAT, last)(trace)?.[0])).toEqual(['{"n":1}', '{"n":2}']);
  expect(dataOf(moveEvent(CHAT, firstEvent, 'back')(trace)?.[0])).toEqual(['{"n":2}', '[DONE]', '{"n":1}']);
  expect(dataOf(inEvent(CHAT, firstEvent, put('/n', 5))(trace)?.[0])[0]).toBe('{"n":5}');
});

test('a break that applies to nothing is null', () => {
  expect(inAnswer('listModels', put('/data', []))([streamed('{}')])).toBeNull();
  const refused = new TraceBuilder().add('listModels', {}, { status: 400, json: { data: [1] } });
  expect(inAnswer('listModels', put('/data', []))([refused])).toBeNull();
});
