import { expect, test } from 'vitest';
import type { Exchange, Probe } from '../../exchange/exchange.ts';
import { type ResponseSketch, TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { mustAccept, mustReject, probeResults } from './probe-results.ts';

const IMAGE = 'createImage';

function createProbe(id: string, side: Probe['side'], control: string | null, keyword = 'rule'): Probe {
  return { id, operation: IMAGE, pointer: 'body.n', keyword, side, control };
}

const valid = createProbe('v', 'valid', null);
const violation = createProbe('w', 'violation', 'v');

function collect(...sent: readonly (readonly [Probe, ResponseSketch])[]) {
  const trace = new TraceBuilder();
  for (const [probe, response] of sent) trace.add(IMAGE, { body: { prompt: 'a' }, probe }, response);
  const collector = probeResults(IMAGE, 'rule').collect();
  const results = trace.exchanges.flatMap((exchange: Exchange) => {
    const call = Call.from(exchange, 'Vendor-Beta');
    return call === null ? [] : [...collector.call(call)];
  });
  return [...results, ...(collector.finish?.() ?? [])];
}

test('a violation is evidence only if its control is accepted, before or after it', () => {
  for (const sent of [
    [valid, violation],
    [violation, valid],
  ] as const) {
    const results = collect(...sent.map((probe) => [probe, { json: {} }] as const));
    expect(
      results.filter(({ side }) => side === 'violation').map(({ call }) => call.exchange.probe?.id),
    ).toEqual(['w']);
  }
  const refused = collect([valid, { status: 400 }], [violation, { status: 400 }]);
  expect(refused.map(({ side }) => side)).toEqual(['valid']);
});

test('a control that fails once and is accepted once suffices, in either order', () => {
  for (const [first, second] of [
    [503, 200],
    [200, 503],
  ] as const) {
    const sent = (status: number) => [valid, { status, json: {} }] as const;
    const rejected = [violation, { status: 400 }] as const;
    for (const calls of [
      [sent(first), rejected, sent(second)],
      [sent(first), sent(second), rejected],
    ])
      expect(collect(...calls).filter(({ side }) => side === 'violation')).toHaveLength(1);
  }
});

test('a refused probe that names its base is evidence only if the base is not refused as well', () => {
  const probe = createProbe('rule.valid1', 'valid', 'rule.base');
  const base = createProbe('rule.base', 'valid', null, 'base');
  type Sent = readonly [Probe, ResponseSketch];
  const countExchanges = (...sent: readonly Sent[]) =>
    collect(...sent).map(({ exchanges }) => exchanges.length);
  expect(countExchanges([probe, { json: {} }])).toEqual([1]);
  expect(countExchanges([probe, { status: 400 }])).toEqual([1]);
  expect(countExchanges([probe, { status: 400 }], [base, { status: 400 }])).toEqual([]);
  expect(countExchanges([probe, { status: 400 }], [base, { json: {} }])).toEqual([2]);
  // A base that lacked capacity is sent again.
  expect(countExchanges([probe, { status: 400 }], [base, { status: 429 }], [base, { json: {} }])).toEqual([
    2,
  ]);
  // Two runs use the same labels; the first names a model that the target does not know.
  const firstRun = [
    [probe, { status: 404 }],
    [base, { status: 404 }],
  ] as const;
  const secondRun = [
    [probe, { json: {} }],
    [base, { json: {} }],
  ] as const;
  expect(countExchanges(...firstRun, ...secondRun)).toEqual([1]);
  expect(countExchanges([probe, { status: 400 }], [base, { status: 429 }])).toEqual([]);
});

test('probes of another rule, refused callers, missing operations and resets are not evidence', () => {
  expect(collect([createProbe('x', 'valid', null, 'another'), {}])).toEqual([]);
  expect(collect([valid, { status: 401 }])).toEqual([]);
  expect(collect([valid, { status: 0, how: 'upstream-reset' }])).toEqual([]);
  expect(collect([valid, { json: {} }], [violation, { status: 501 }]).map(({ side }) => side)).toEqual([
    'valid',
  ]);
});

test('404 rejects a violation whose control was accepted, and is not evidence without a control', () => {
  const [, rejected] = collect([valid, { json: {} }], [violation, { status: 404 }]);
  expect(rejected === undefined ? null : mustReject(rejected)).toEqual([]);
  expect(collect([createProbe('rule', 'violation', null), { status: 404 }])).toEqual([]);
});

test.each<[number, boolean, boolean | 'inconclusive']>([
  [200, true, false],
  [400, false, true],
  [500, false, 'inconclusive'],
])('status %i counts as accepted: %s, as rejected: %s', (status, accepted, rejected) => {
  const [result] = collect([valid, { status, json: {} }]);
  if (result === undefined) throw new Error('A valid probe is evidence.');
  expect(mustAccept(result).length === 0).toBe(accepted);
  const [problem] = mustReject(result);
  expect(problem?.inconclusive === undefined ? problem === undefined : 'inconclusive').toBe(rejected);
});
