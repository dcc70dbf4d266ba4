import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { NearestEvidence } from './nearest-evidence.ts';

const KNOWN = new Map([['rule', ['files.life']]]);

function exchangesOf(scenario: string | null, count: number) {
  const trace = new TraceBuilder();
  for (let n = 0; n < count; n += 1) trace.add('listFiles', {}, { json: {} });
  return trace.exchanges.map((exchange) => ({ ...exchange, scenario }));
}

test('keeps the first exchanges that met most conditions, from the scenarios that are expected to show the requirement', () => {
  const nearest = new NearestEvidence(KNOWN);
  const own = exchangesOf('files.life', 6);
  const metCounts = [0, 2, 1, 2, 2, 2];
  for (const [n, exchange] of own.entries()) nearest.recordMiss('rule', [exchange], metCounts[n] ?? 0);
  for (const scenario of ['files.other', null]) nearest.recordMiss('rule', exchangesOf(scenario, 1), 9);
  nearest.recordMiss('other', own, 9);
  expect(nearest.nearest('rule')).toEqual({ met: 2, exchanges: ['e2', 'e4', 'e5'] });
  expect(nearest.nearest('other')).toBeUndefined();
});

test('parts of the traffic add up to the whole, in any order', () => {
  const own = exchangesOf('files.life', 8);
  const metCounts = [1, 0, 1, 1, 0, 1, 1, 1];
  const nearestAmong = (...positions: readonly number[]) => {
    const nearest = new NearestEvidence(KNOWN);
    for (const n of positions) nearest.recordMiss('rule', own.slice(n, n + 1), metCounts[n] ?? 0);
    return nearest;
  };
  const parts = [nearestAmong(1, 4), nearestAmong(5, 6, 7), nearestAmong(0, 2, 3)];
  for (const order of [parts, parts.toReversed()]) {
    const sum = new NearestEvidence(KNOWN);
    for (const part of order) sum.absorb(part.part());
    expect(sum.part()).toEqual(nearestAmong(0, 1, 2, 3, 4, 5, 6, 7).part());
  }
});

test('a later exchange that is equally near replaces no kept exchange', () => {
  const nearest = new NearestEvidence(KNOWN);
  const own = exchangesOf('files.life', 5);
  for (const exchange of own.slice(0, 4)) nearest.recordMiss('rule', [exchange], 1);
  const kept = nearest.nearest('rule');
  nearest.recordMiss('rule', own.slice(4), 1);
  expect(nearest.nearest('rule')).toBe(kept);
});
