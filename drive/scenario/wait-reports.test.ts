import { expect, test } from 'vitest';
import { type CurrentWait, WaitReports } from './wait-reports.ts';

const wait: CurrentWait = {
  ...{ scenario: 'fine-tuning.pages', most: 90 },
  ...{ method: 'GET', path: '/v1/fine_tuning/jobs/job-1', state: 'running' },
};

test('a run reports what it waits for after ten quiet seconds, and again after ten more', () => {
  let now = 0;
  const reportTimes: number[] = [];
  const reports = new WaitReports(
    () => reportTimes.push(now),
    () => now,
  );
  for (now = 0; now <= 45_000; now += 1_000) {
    if (now === 23_000) reports.reset();
    reports.report(wait);
  }
  expect(reportTimes).toEqual([10_000, 20_000, 33_000, 43_000]);
});
