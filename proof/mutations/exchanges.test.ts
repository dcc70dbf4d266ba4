import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { frameWithData, withBody, withEvents, withResponseJson } from './exchanges.ts';
import { setValue } from './values.ts';

function createExchange(json: object): Exchange {
  const text = JSON.stringify(json);
  const headers = [
    ['content-type', 'application/json'],
    ['Content-Length', String(text.length)],
  ] as const;
  return new TraceBuilder().add('listModels', {}, { text, headers });
}

test('the length in the headers stays correct after an edit', () => {
  const { response } = withResponseJson(createExchange({ data: [] }), setValue('/data', [1, 2, 3]));
  expect(response?.body.text).toBe('{"data":[1,2,3]}');
  expect(firstHeader(response?.headers ?? [], 'content-length')).toBe('16');
});

test('a compressed body is edited in its decoded form', () => {
  const plain = createExchange({ n: 1 });
  const zipped: Exchange = {
    ...plain,
    response: plain.response && {
      ...plain.response,
      headers: [...plain.response.headers, ['content-encoding', 'gzip']],
      body: Body.from(gzipSync('{"n":1}')),
    },
  };
  const { response } = withResponseJson(zipped, setValue('/n', 2));
  expect(response && decodedContent(response)?.text).toBe('{"n":2}');
  expect(firstHeader(response?.headers ?? [], 'content-encoding')).toBeNull();
});

test('an edit that changes nothing, or edits the events of a response without a stream, returns the same exchange', () => {
  const exchange = createExchange({ n: 1 });
  expect(withResponseJson(exchange, setValue('/n', 1))).toBe(exchange);
  expect(withEvents(exchange, () => [])).toBe(exchange);
});

test('untouched events keep their bytes', () => {
  const text = ': hello\ndata:{"n":1}\r\n\r\nevent: x\ndata: {"n":2}\n\n';
  const stream = new TraceBuilder().add(
    'createChatCompletion',
    { body: { stream: true } },
    { events: ['{}'] },
  );
  const exchange = withBody(stream, text);
  const changed = withEvents(exchange, ([one, two]) => [
    one ?? frameWithData('', ''),
    frameWithData(two?.event ?? '', '[3]'),
  ]);
  expect(changed.response?.body.text).toBe(': hello\ndata:{"n":1}\r\n\r\nevent: x\ndata: [3]\n\n');
});
