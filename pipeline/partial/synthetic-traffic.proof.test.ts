import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import {
  cutByResource,
  cutInTime,
  judgeInParts,
  judgeOneByOne,
  judgeWhole,
} from '../../judge/testing/cut-trace.ts';
import {
  SYNTHETIC_ACTS,
  type SyntheticCall,
  syntheticTraffic,
} from '../../judge/testing/synthetic-traffic.ts';
import { testTraceHeader } from '../../judge/testing/trace-builder.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { catalogue } from '../../suites/index.ts';

const BY = { catalogue: await catalogue(), header: testTraceHeader({ models: { chat: 'm' } }) };
const rotation = inject('rotation');
/** CI uses a different seed per commit, with a third of the tries. */
const THOROUGH = rotation === null ? { numRuns: 25, seed: 22 } : { numRuns: 9, seed: rotation };
const TRIES = inject('isThorough') ? THOROUGH : { numRuns: 6, seed: 22 };
/** More than the 1,000 objects that a judge remembers as created. */
const BEYOND = 1500;

const call: fc.Arbitrary<SyntheticCall> = fc.record({
  act: fc.constantFrom(...SYNTHETIC_ACTS),
  resource: fc.nat(11),
  answer: fc.constantFrom('right', 'right', 'right', 'wrong', 'refused', 'failed'),
  overlaps: fc.constantFrom(0, 0, 0, 1, 5),
});

test('synthetic traffic that is split by resource adds up to the whole', () => {
  let cut = 0;
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 150, maxLength: 400, size: 'max' }),
      fc.integer({ min: 2, max: 7 }),
      (calls, parts) => {
        const traffic = syntheticTraffic(calls);
        const places = cutByResource(traffic, parts);
        cut += new Set(places.places).size;
        expect(judgeInParts(BY, [traffic], places)).toEqual(judgeWhole(BY, [traffic]));
      },
    ),
    TRIES,
  );
  expect(cut).toBeGreaterThan(2 * TRIES.numRuns);
});

test('synthetic traces that are judged one by one add up to the whole', () => {
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 50, maxLength: 200, size: 'max' }),
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      (calls, share) => {
        const traces = cutInTime(syntheticTraffic(calls), Math.ceil(share * calls.length));
        expect(judgeOneByOne(BY, traces)).toEqual(judgeWhole(BY, traces));
      },
    ),
    TRIES,
  );
});

test('beyond the limits of a judge, parts may show more evidence, never less', () => {
  const first: SyntheticCall[] = Array.from({ length: BEYOND }, (_, resource) => ({
    act: 'createThread',
    resource,
    answer: 'right',
    overlaps: 0,
  }));
  // A single judge forgets the oldest threads; the judges of parts do not.
  const again: SyntheticCall[] = [0, 1, 2].map((resource) => ({
    act: 'retrieveThread',
    resource,
    answer: 'wrong',
    overlaps: 0,
  }));
  const traffic = syntheticTraffic([...first, ...again]);
  const whole = countsOf(judgeWhole(BY, [traffic]));
  const parts = countsOf(judgeInParts(BY, [traffic], cutByResource(traffic, 3)));
  for (const [id, counts] of whole)
    for (const [n, count] of counts.entries()) expect(parts.get(id)?.[n]).toBeGreaterThanOrEqual(count);
  expect(parts).not.toEqual(whole);
});

/** Observations and findings of each requirement. */
function countsOf({ requirements }: Judgement): ReadonlyMap<string, readonly [number, number]> {
  return new Map(
    requirements.map(({ id, observations, findingsTotal }) => [id, [observations, findingsTotal]]),
  );
}
