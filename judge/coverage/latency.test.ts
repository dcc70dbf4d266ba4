import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { LatencyTally } from './latency.ts';

function setTimes(exchange: Exchange, pieces: readonly (readonly [offset: number, at: number])[]): Exchange {
  const { response } = exchange;
  if (response === null) throw new Error('no response');
  const at = pieces.at(-1)?.[1] ?? 0;
  const arrived = pieces.map(([offset, time]) => ({ offset, at: time }));
  return {
    ...exchange,
    response: { ...response, pieces: arrived },
    end: { how: 'complete', detail: null, at },
  };
}

test('a tally without responses has no summary', () => {
  expect(new LatencyTally().summary()).toBeNull();
});

test('quantiles are values that occurred, by nearest rank', () => {
  const tally = new LatencyTally();
  const one = new TraceBuilder().add('listModels', {}, { json: {} });
  for (let at = 1; at <= 100; at += 1) tally.add(setTimes(one, [[0, at]]));
  expect(tally.summary()).toEqual({
    responses: 100,
    total: { p50: 50, p90: 90, p99: 99 },
    firstByte: { p50: 50, p90: 90, p99: 99 },
    betweenEvents: null,
    tokensPerSecond: null,
  });
});

test('a stream has gaps between its events, and a token rate over its whole duration', () => {
  const usage = { completion_tokens: 6, total_tokens: 9 };
  const events = [{ a: 1 }, { a: 2 }, { usage }];
  const stream = new TraceBuilder().add('createChatCompletion', { body: {} }, { events });
  const size = stream.response?.body.size ?? 0;
  const tally = new LatencyTally();
  // The first two events are in the first packet: `data: {"a":1}` and an empty line are 15 bytes.
  tally.add(
    setTimes(stream, [
      [0, 10],
      [30, 40],
    ]),
  );
  expect(size).toBeGreaterThan(30);
  expect(tally.summary()).toMatchObject({
    firstByte: { p50: 10 },
    betweenEvents: { p50: 0, p90: 30, p99: 30 },
    tokensPerSecond: { p50: 150 },
  });
});

test('quantiles of more values than are kept stay close to the exact ones', () => {
  const tally = new LatencyTally();
  const one = new TraceBuilder().add('listModels', {}, { json: {} });
  for (let at = 1; at <= 50_000; at += 1) tally.add({ ...setTimes(one, [[0, at]]), id: `e${at}` });
  const { total, responses } = tally.summary() ?? {};
  expect(responses).toBe(50_000);
  expect(total?.p50).toBeGreaterThan(24_900);
  expect(total?.p50).toBeLessThan(25_100);
  expect(total?.p99).toBeGreaterThan(49_300);
  expect(total?.p99).toBeLessThan(49_700);
});
