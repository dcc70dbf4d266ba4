import { validate } from 'ctrf';
import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { ctrfReport } from './ctrf.ts';

test.for(['broken', 'green', 'nothing'] as const)(
  'the %s sample is valid by the schema of the format',
  (name) => {
    const { report, evidence } = sampleReport(name);
    expect(validate(JSON.parse(ctrfReport(report, evidence)))).toMatchObject({ valid: true });
  },
);

const { report, evidence } = sampleReport('broken');
const { tests, summary } = JSON.parse(ctrfReport(report, evidence)).results;

test('a failure fails, a warning passes, an untested requirement is skipped, and a bug is other', () => {
  const status = (raw: string) => tests.find((one: { rawStatus: string }) => one.rawStatus === raw).status;
  expect(status('fail')).toBe('failed');
  expect(status('warn')).toBe('passed');
  expect(status('untested')).toBe('skipped');
  expect(status('error')).toBe('other');
});

test('the summary has the number of tests by status, and the time of the end', () => {
  expect(summary).toMatchObject({
    tests: 11,
    passed: 2,
    failed: 4,
    skipped: 1,
    other: 4,
    stop: Date.parse('2026-01-31T09:30:04.250Z'),
  });
});

test('if no requirement fails although the exit code is not 0, the test `verdict` fails with the reasons', () => {
  const { report, evidence } = sampleReport('nothing');
  const { tests, summary } = JSON.parse(ctrfReport(report, evidence)).results;
  expect([report.summary.exitCode, summary.failed, summary.tests]).toEqual([2, 1, tests.length]);
  expect(tests[0]).toMatchObject({
    name: 'verdict',
    status: 'failed',
    message: expect.stringContaining(report.summary.reasons[0] ?? 'a reason'),
  });
  const passed = sampleReport('green');
  expect(ctrfReport(passed.report, passed.evidence)).not.toContain('"verdict",');
});
