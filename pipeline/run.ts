import { join } from 'node:path';
import { ConfigurationError, type Settings } from '../drive/configuration/configuration.ts';
import { JudgeThread } from './judging/judge-thread.ts';
import type { LiveRunOptions, RunOutcome } from './live-run.ts';
import { type EarlierFiles, hasShownNothing, putFilesAside } from './report/earlier-files.ts';
import { keepEarlierLedger } from './report/earlier-ledger.ts';
import { type BaselineOutput, readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { makeReportFolder } from './report/report-folder.ts';

export type { RunEvent, RunOutcome } from './live-run.ts';
export type { ReportListener } from './report/write-reports.ts';

export interface RunOptions extends Pick<LiveRunOptions, 'signal' | 'onEvent' | 'onReport'>, BaselineOutput {}

/**
 * Runs the scenarios against the target of the settings (default: the embedded reference), records and judges
 * the traffic, and writes the reports. Rejects with UsageError, ConfigurationError, BaselineError,
 * DialectError, CassetteError or RunnerError.
 */
export async function run(settings: Settings, options: RunOptions = {}): Promise<RunOutcome> {
  if ([settings.only, settings.skip, settings.scenario].some(({ length }) => length > 0))
    await (await import('./setup/unmatched-globs.ts')).refuseUnmatchedGlobs(settings);
  const earlierReport = readEarlierReport(settings.compareTo);
  const known = readKnownFailures(settings.baseline, options);
  makeReportFolder(settings.reportDir);
  // Started first, so that judge and driver load concurrently.
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
    const [{ prepareTarget }, { runAndReport }] = await Promise.all([
      import('./target.ts'),
      import('./live-run.ts'),
    ]);
    const { configuration, dialect, close } = await prepareTarget(settings);
    try {
      const { reportDir } = configuration;
      const ledger = keepEarlierLedger(reportDir);
      if (ledger !== null) options.onEvent?.({ kind: 'earlier-ledger', earlier: ledger });
      const files = putFilesAside(reportDir);
      const live = { ...options, known, earlierReport, dialect, thread, hasEarlierReport: files.hasReport };
      return await runKeepingEarlier(() => runAndReport(configuration, live), files, reportDir, options);
    } finally {
      await close();
    }
  } finally {
    await thread.stop();
  }
}

/** Puts earlier files back if the run has shown nothing, or if the target refused a configured model. */
async function runKeepingEarlier(
  runLive: () => Promise<RunOutcome>,
  earlier: EarlierFiles,
  reportDir: string,
  { onEvent }: RunOptions,
): Promise<RunOutcome> {
  try {
    const outcome = await runLive();
    if (earlier.hasReport && outcome.result !== null && hasShownNothing(outcome.result)) {
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
