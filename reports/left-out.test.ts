import { expect, test } from 'vitest';
import { leftOutWords } from './left-out.ts';
import type { Report } from './report.ts';
import { sampleReport } from './testing/sample.ts';

const { report } = sampleReport('broken');
const createLeftOut = (count: number, cause: object) =>
  Array.from({ length: count }, () => ({ ...report.requirements[0], verdict: 'untested', cause }));
const describeLeftOut = (...requirements: readonly object[]) =>
  leftOutWords({ ...report, operations: report.operations.slice(0, 1), requirements } as unknown as Report); // as: parts of a report

const UNCLAIMED = { kind: 'not-claimed', family: null };
const filteredBy = (option: string) => ({ kind: 'filtered', by: { option, globs: [] } });

test('requirements left out are counted by the option or claim that leaves them out', () => {
  const leftOut = [
    ...createLeftOut(3, UNCLAIMED),
    ...createLeftOut(2, filteredBy('only')),
    ...createLeftOut(1, filteredBy('skip')),
  ];
  expect(describeLeftOut(...leftOut)).toBe(
    '6 requirements left out: 3 not claimed, 2 by --only, 1 by --skip',
  );
  expect(describeLeftOut(...createLeftOut(2, filteredBy('scenario')))).toBe(
    '2 requirements left out by --scenario',
  );
  expect(describeLeftOut(...createLeftOut(2, UNCLAIMED))).toBe('2 requirements left out, not claimed');
  expect(describeLeftOut(...createLeftOut(1, { kind: 'filtered', by: null }))).toBe(
    '1 requirement left out by --only or --skip',
  );
});

test('nothing is said if no requirement is left out', () => {
  expect(describeLeftOut(...report.requirements.filter(({ verdict }) => verdict === 'pass'))).toBeNull();
});

test('families that are not claimed are named if they are few, and counted if they are many', () => {
  const [operation] = report.operations;
  const families = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...operation, family: `family-${n}`, claimed: false }));
  const requirements = [...createLeftOut(3, UNCLAIMED), ...createLeftOut(2, filteredBy('only'))];
  const describeFamilies = (count: number) =>
    leftOutWords({ ...report, operations: families(count), requirements } as unknown as Report); // as: parts of a report
  expect(describeFamilies(2)).toBe(
    '5 requirements left out: 3 not claimed (family-0, family-1), 2 by --only',
  );
  expect(describeFamilies(18)).toBe('5 requirements left out: 3 not claimed (18 families), 2 by --only');
});
