import { join } from 'node:path';
import type { Settings } from '../drive/configuration/configuration.ts';
import { JudgeThread } from './judging/judge-thread.ts';
import type { LiveRunOptions, RunOutcome } from './live-run.ts';
import { readEarlierReport } from './report/earlier-report.ts';
import { type BaselineOutput, readKnownFailures } from './report/known-failures.ts';
import { makeReportFolder } from './report/report-folder.ts';
import { removeReports } from './report/write-reports.ts';
import { keepEarlierLedger } from './resume/earlier-ledger.ts';

export type { ReportListener, RunEvent, RunOutcome } from './live-run.ts';

/** Options of a run that are not settings. All are optional. */
export interface RunOptions extends Pick<LiveRunOptions, 'signal' | 'onEvent' | 'onReport'>, BaselineOutput {}

/**
 * Runs the scenarios against the target that the settings name (without one, against the embedded reference), records
 * and judges the traffic, and writes the reports. Throws UsageError, ConfigurationError, BaselineError, DialectError,
 * CassetteError and RunnerError.
 */
export async function run(settings: Settings, options: RunOptions = {}): Promise<RunOutcome> {
  await refuseUnmatchedFilters(settings);
  const earlier = readEarlierReport(settings.compareTo);
  const known = { ...readKnownFailures(settings.baseline, options), earlier };
  makeReportFolder(settings.reportDir);
  // Loading the judge takes as long as loading the driver: they load beside each other.
  const thread = new JudgeThread({
    dialect: settings.dialect,
    cassette: join(settings.reportDir, 'cassette'),
    side: 'server',
    claims: 'stated',
    violations: null,
    memory: null,
  });
  try {
    const [{ prepareTarget: aim }, { liveRun }] = await Promise.all([
      import('./target.ts'),
      import('./live-run.ts'),
    ]);
    const { configuration, dialect, close } = await aim(settings);
    try {
      removeReports(configuration.reportDir);
      const earlier = keepEarlierLedger(configuration.reportDir);
      if (earlier !== null) options.onEvent?.({ kind: 'earlier-ledger', earlier });
      return await liveRun(configuration, { ...options, known, dialect, thread });
    } finally {
      await close();
    }
  } finally {
    await thread.stop();
  }
}

/** The catalogue is loaded only where there is a filter to compare with it. */
async function refuseUnmatchedFilters(settings: Settings): Promise<void> {
  const { only, skip, scenario } = settings;
  if ([only, skip, scenario].every(({ length }) => length === 0)) return;
  const { refuseUnmatchedGlobs: refuseUnmatched } = await import('./unmatched-globs.ts');
  await refuseUnmatched(settings);
}
