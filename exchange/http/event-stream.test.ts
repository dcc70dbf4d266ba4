import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs, HttpResponse } from '../exchange.ts';
import { Body } from './body.ts';
import { arrivalTime, eventsOf } from './event-stream.ts';

function response(content: Uint8Array | string, headers: HeaderPairs): HttpResponse {
  return { status: 200, reason: 'OK', headers, body: Body.from(content), trailers: [], pieces: [] };
}

describe('events', () => {
  const type: HeaderPairs[number] = ['Content-Type', 'text/event-stream; charset=utf-8'];
  const stream = 'data: 1\n\ndata: 2\n\ndata: [D';

  test('are read once from an event stream', () => {
    const plain = response(stream, [type]);
    expect(eventsOf(plain)?.events.map(({ data }) => data)).toEqual(['1', '2']);
    expect(eventsOf(plain)?.rest?.data).toBe('[D');
    expect(eventsOf(plain)).toBe(eventsOf(plain));
  });

  test('are read from a compressed stream', () => {
    const compressed = response(gzipSync(stream), [type, ['content-encoding', 'gzip']]);
    expect(eventsOf(compressed)?.events.map(({ data }) => data)).toEqual(['1', '2']);
  });

  test('are absent in other responses', () => {
    expect(eventsOf(response('data: 1\n\n', [['Content-Type', 'text/plain']]))).toBeNull();
  });

  test('arrive with the piece that contains their last byte', () => {
    const pieces = [
      { offset: 0, at: 3 },
      { offset: 10, at: 8 },
    ];
    expect([1, 10, 11].map((end) => arrivalTime(pieces, end))).toEqual([3, 3, 8]);
  });

  test('have no arrival time if that of the pieces is unknown', () => {
    expect(arrivalTime([], 4)).toBeNull();
  });
});

test('checking whether a body stored as JSON is a stream does not serialise it', () => {
  let loads = 0;
  const load = () => {
    loads += 1;
    return Buffer.from('{"object":"list"}');
  };
  const body = Body.stored(null, 17, load, { json: { value: { object: 'list' } } });
  const headers = [['Content-Type', 'application/json']] as const;
  const response = { status: 200, reason: 'OK', headers, body, trailers: [], pieces: [] };
  expect([eventsOf(response), loads]).toEqual([null, 0]);
});
