import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { SHARED } from '../../judge/partial/traffic-plan.ts';
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

const JUDGE_INPUT = { catalogue: await catalogue(), header: testTraceHeader({ models: { chat: 'm' } }) };
const rotation = inject('rotation');
/** CI uses a different seed per commit, with fewer tries. */
const THOROUGH = rotation === null ? { numRuns: 25, seed: 22 } : { numRuns: 9, seed: rotation };
const TRIES = inject('isThorough') ? THOROUGH : { numRuns: 6, seed: 22 };
/** More than the 1,000 objects that some selectors remember. */
const THREAD_COUNT = 1500;

const arbitraryCall: fc.Arbitrary<SyntheticCall> = fc.record({
  act: fc.constantFrom(...SYNTHETIC_ACTS),
  resource: fc.nat(11),
  answer: fc.constantFrom('right', 'right', 'right', 'wrong', 'refused', 'failed'),
  overlaps: fc.constantFrom(0, 0, 0, 1, 5),
});

test('judgements of synthetic traffic that is split by resource add up to that of the whole', () => {
  let partCount = 0;
  fc.assert(
    fc.property(
      fc.array(arbitraryCall, { minLength: 150, maxLength: 400, size: 'max' }),
      fc.integer({ min: 2, max: 7 }),
      (calls, parts) => {
        const traffic = syntheticTraffic(calls);
        const places = cutByResource(traffic, parts);
        partCount += new Set(places.places.subarray(1).filter((place) => place < SHARED)).size;
        expect(judgeInParts(JUDGE_INPUT, [traffic], places)).toEqual(judgeWhole(JUDGE_INPUT, [traffic]));
      },
    ),
    TRIES,
  );
  expect(partCount).toBeGreaterThan(2 * TRIES.numRuns);
});

test('synthetic traces that are judged one by one get the same judgement as together', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryCall, { minLength: 50, maxLength: 200, size: 'max' }),
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      (calls, share) => {
        const traces = cutInTime(syntheticTraffic(calls), Math.ceil(share * calls.length));
        expect(judgeOneByOne(JUDGE_INPUT, traces)).toEqual(judgeWhole(JUDGE_INPUT, traces));
      },
    ),
    TRIES,
  );
});

test('beyond the limits of a judge, parts may show more evidence, never less', () => {
  const creations: SyntheticCall[] = Array.from({ length: THREAD_COUNT }, (_, resource) => ({
    act: 'createThread',
    resource,
    answer: 'right',
    overlaps: 0,
  }));
  // A single judge forgets the oldest threads; the judges of parts do not.
  const oldestRetrievals: SyntheticCall[] = [0, 1, 2].map((resource) => ({
    act: 'retrieveThread',
    resource,
    answer: 'wrong',
    overlaps: 0,
  }));
  const traffic = syntheticTraffic([...creations, ...oldestRetrievals]);
  const whole = countResults(judgeWhole(JUDGE_INPUT, [traffic]));
  const parts = countResults(judgeInParts(JUDGE_INPUT, [traffic], cutByResource(traffic, 3)));
  for (const [id, counts] of whole)
    for (const [n, count] of counts.entries()) expect(parts.get(id)?.[n]).toBeGreaterThanOrEqual(count);
  expect(parts).not.toEqual(whole);
});

function countResults({ requirements }: Judgement): ReadonlyMap<string, readonly [number, number]> {
  return new Map(
    requirements.map(({ id, observations, findingsTotal }) => [id, [observations, findingsTotal]]),
  );
}
