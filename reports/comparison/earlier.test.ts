import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { sampleReport } from '../samples/sample.ts';
import { scoreLine } from '../verdict-sentence.ts';
import { compareReports } from './compare.ts';
import { type StoredReport, withAdditions } from './earlier.ts';
import { makeMatrix } from './matrix.ts';

/** The report as version 0.1 wrote it: sentences without facts. */
function asBefore(report: Report): StoredReport {
  return {
    ...without(report, ['hints', 'states', 'proof']),
    summary: without(report.summary, ['causes']),
    requirements: report.requirements.map((one) => without(one, ['cause'])),
    blockers: report.blockers.map((one) => without(one, ['obstacle'])),
  };
}

function without<T extends object, K extends keyof T>(whole: T, keys: readonly K[]): Omit<T, K> {
  const left: readonly PropertyKey[] = keys;
  // as: what is left out is what the type leaves out
  return Object.fromEntries(Object.entries(whole).filter(([key]) => !left.includes(key))) as Omit<T, K>;
}

test('a report of an earlier version is counted and compared like a current one', () => {
  const { report } = sampleReport('broken');
  const earlier = withAdditions(asBefore(report));
  expect(scoreLine(earlier)).toBe(scoreLine(report));
  const services = (one: Report) => makeMatrix([{ name: 'a', report: one }]);
  expect(services(earlier)).toEqual(services(report));
  const green = sampleReport('green').report;
  expect(compareReports(green, earlier)).toEqual(compareReports(green, report));
  expect(compareReports(earlier, green)).toEqual(compareReports(report, green));
});

test('an earlier report says what its options left out', () => {
  const { report } = sampleReport('green');
  const [first] = report.requirements;
  if (first === undefined) throw new Error('the sample has a requirement');
  const causes = ['filtered', 'not-allowed: --allow images', 'no-evidence', 'filtered-out', null].map(
    (reason) =>
      withAdditions(asBefore({ ...report, requirements: [{ ...first, reason }] })).requirements[0]?.cause,
  );
  expect(causes).toEqual([
    { kind: 'filtered', detail: '' },
    { kind: 'not-allowed', detail: '--allow images' },
    null,
    null,
    null,
  ]);
});
