import { join } from 'node:path';
import { ConfigurationError, type Settings } from '../drive/configuration/configuration.ts';
import { JudgeThread } from './judging/judge-thread.ts';
import type { LiveRunOptions, RunOutcome } from './live-run.ts';
import { EarlierFiles } from './report/earlier-files.ts';
import { readEarlierReport } from './report/earlier-report.ts';
import { type BaselineOutput, readKnownFailures } from './report/known-failures.ts';
import { makeReportFolder } from './report/report-folder.ts';
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
    extension: settings.extension,
    cassette: join(settings.reportDir, 'cassette'),
    side: 'server',
    finds: 'stated',
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
      const earlier = keepEarlierLedger(configuration.reportDir);
      if (earlier !== null) options.onEvent?.({ kind: 'earlier-ledger', earlier });
      const earlierFiles = EarlierFiles.putAside(configuration.reportDir);
      const live = { ...options, known, dialect, thread, hasEarlierReport: earlierFiles.exist };
      return await keepingEarlier(
        () => liveRun(configuration, live),
        earlierFiles,
        configuration.reportDir,
        options,
      );
    } finally {
      await close();
    }
  } finally {
    await thread.stop();
  }
}

/** Runs; puts the files of an earlier run back where the target was not reached, or the configuration was refused before anything was sent. */
async function keepingEarlier(
  live: () => Promise<RunOutcome>,
  earlier: EarlierFiles,
  reportDir: string,
  { onEvent }: RunOptions,
): Promise<RunOutcome> {
  try {
    const outcome = await live();
    if (earlier.exist && outcome.result?.stopReason === 'target-unreachable') {
      earlier.restore();
      onEvent?.({ kind: 'earlier-report-kept', reportDir });
      return outcome;
    }
    const names = earlier.drop();
    if (names.length > 0) onEvent?.({ kind: 'earlier-reports-moved', names, reportDir });
    return outcome;
  } catch (error) {
    if (error instanceof ConfigurationError) earlier.restore();
    else earlier.drop();
    throw error;
  }
}

/** The catalogue is loaded only where there is a filter to compare with it. */
async function refuseUnmatchedFilters(settings: Settings): Promise<void> {
  const { only, skip, scenario } = settings;
  if ([only, skip, scenario].every(({ length }) => length === 0)) return;
  const { refuseUnmatchedGlobs: refuseUnmatched } = await import('./unmatched-globs.ts');
  await refuseUnmatched(settings);
}
