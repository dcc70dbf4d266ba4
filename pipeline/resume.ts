import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  allowedCosts,
  configureForTarget,
  DEFAULT_BETA_HEADER,
  NO_MODEL_SEARCH,
  type RunConfiguration,
  type Settings,
} from '../drive/configuration/configuration.ts';
import { COST_CLASSES, REPORT_FOLDER } from '../drive/configuration/settings.ts';
import { type PreviousRun, readPreviousRun } from '../drive/resume-state.ts';
import { type RoleModels, roleNames } from '../drive/scenario/model-roles.ts';
import { recordingDir } from '../exchange/cassette/folder.ts';
import { claimedNames } from '../exchange/claims.ts';
import { TOOL } from '../exchange/tool.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import { judgeAgain, type RunOutcome, runAndReport } from './live-run.ts';
import { LEDGER_FILE } from './report/earlier-ledger.ts';
import { readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { makeReportFolder } from './report/report-folder.ts';
import { removeReportFiles } from './report/write-reports.ts';
import type { RunOptions } from './run.ts';
import { dialectOfTraffic } from './setup/dialects.ts';
import { UsageError } from './setup/usage-error.ts';
import { requestDialectOf } from './target.ts';

/**
 * Resumes the run in a report folder: polls for the states that its scenarios awaited, runs the rest of these
 * scenarios, and judges both parts as one run. Rejects with UsageError if the settings differ from the run's.
 */
export async function resumeRun(
  dir: string,
  settings: Settings,
  options: RunOptions = {},
): Promise<RunOutcome> {
  const earlierReport = readEarlierReport(settings.compareTo);
  const known = readKnownFailures(settings.baseline, options);
  // No request may be sent before this check: mixing two targets would make the verdict meaningless.
  const { header, waitingScenarios } = await readRunToResume(dir, settings);
  makeReportFolder(dir);
  const dialect = await dialectOfTraffic(header, settings.dialect);
  const configuration = configurationOfRun(dir, header, settings, dialect);
  options.onEvent?.({ kind: 'resumed', reportDir: dir, waitingScenarios });
  // Settings that affect only the judgement, such as the baseline, may have changed.
  const reportOptions = { ...options, known, earlierReport, dialect };
  if (waitingScenarios.length === 0) return judgeAgain(configuration, reportOptions);
  // If the run is aborted, the earlier report would no longer describe the cassette.
  removeReportFiles(configuration.reportDir);
  // A thread would receive nothing of a resumed run, so the finished cassette is judged.
  return runAndReport(configuration, { ...reportOptions, thread: null });
}

/** The target of the run, to which the key would be sent; null if no scenario waits. Rejects as `resumeRun` does. */
export async function targetToResume(dir: string, settings: Settings): Promise<string | null> {
  const { header, waitingScenarios } = await readRunToResume(dir, settings);
  return waitingScenarios.length === 0 ? null : header.target.baseUrl;
}

async function readRunToResume(dir: string, settings: Settings): Promise<PreviousRun> {
  const [cassette, ledger] = [join(dir, 'cassette'), join(dir, LEDGER_FILE)];
  // Without its ledger, resumed scenarios could not delete what they created.
  if (!existsSync(ledger) || !(existsSync(cassette) || existsSync(recordingDir(cassette))))
    throw new UsageError(
      `--resume ${dir}: the folder contains no run. Name the report folder of an earlier run, such as assay-report.`,
    );
  const run = await readPreviousRun(cassette, ledger);
  refuseOtherRun(dir, run.header, settings);
  return run;
}

/** Settings that the cassette records are those of the earlier run; keys, header fields, limits and outputs are new. */
function configurationOfRun(
  dir: string,
  header: TraceHeader,
  settings: Settings,
  dialect: Dialect | null,
): RunConfiguration {
  // Drops roles of extensions that are not loaded now, whose scenarios are missing too.
  const models: RoleModels = {};
  for (const role of roleNames()) if (header.models[role] !== undefined) models[role] = header.models[role];
  return {
    ...configureForTarget(
      { ...settings, baseUrl: header.target.baseUrl },
      requestDialectOf(dialect, settings),
    ),
    betaHeader: header.betaHeader,
    models,
    modelSearch: NO_MODEL_SEARCH,
    claim: claimedNames(header.claims),
    only: header.filters.only,
    skip: header.filters.skip,
    allow: COST_CLASSES.filter((cost) => header.allow.includes(cost)),
    shard: header.shard,
    reportDir: dir,
  };
}

/** Throws UsageError if the folder has no run that can be resumed, or the settings differ from those of the run. */
export function refuseOtherRun(dir: string, header: TraceHeader, settings: Settings): void {
  const refuse = (why: string): never => {
    throw new UsageError(`--resume ${dir}: ${why}`);
  };
  if (claimedNames(header.claims).length === 0 && header.claims.how === 'default')
    refuse('the folder contains recorded traffic, not a run. Name the folder of an earlier run.');
  if (header.target.name === 'reference')
    refuse('the target was the reference service inside assay, which ended with the run. Run again instead.');
  // Other versions may send other requests, to which the recorded responses do not belong.
  if (header.tool.version !== TOOL.version)
    refuse(
      `the run was made by assay ${header.tool.version}, and this is ${TOOL.version}: resume with the same version.`,
    );
  for (const [what, was, is] of settingsToCompare(header, settings)) {
    // Settings that are not given are taken from the run, so that `--resume DIR` suffices.
    if (is !== null && is !== was)
      refuse(
        `the run had ${what} ${was || 'none'}, not ${is || 'none'}. Remove the setting from the flags, ASSAY_ variables or assay.config.`,
      );
  }
  if (settings.scenario.length > 0)
    refuse('--scenario has no effect on the unfinished scenarios: leave it out.');
  if (settings.dryRun) refuse('--dry-run estimates whole runs only: leave it out.');
  if (resolve(settings.reportDir) !== resolve(REPORT_FOLDER) && resolve(settings.reportDir) !== resolve(dir))
    refuse(`the report is written here again, not to ${settings.reportDir}: leave --report-dir out.`);
  // Only the presence of the earlier key was recorded.
  if (header.key && settings.apiKey === null)
    refuse(
      `the run had an API key, which is missing now: set ${settings.keyVariable}, or name another variable with --api-key-env.`,
    );
  if (!header.key && settings.apiKey !== null)
    refuse(`the run had no API key, but ${settings.keyVariable} contains one: unset it.`);
}

function settingsToCompare(header: TraceHeader, settings: Settings) {
  const { claim, only, skip, allow, shard, models, baseUrl, betaHeader } = settings;
  // Formatted as on the command line, so that messages show what to type; order does not matter.
  const formatShard = (one: TraceHeader['shard']) => (one === null ? 'none' : `${one.index}/${one.of}`);
  const joinSorted = (names: readonly string[]) => names.toSorted().join(',');
  const joinPaid = (costs: readonly string[]) => joinSorted(costs.filter((cost) => cost !== 'free'));
  const joinGiven = (globs: readonly string[]) => (globs.length === 0 ? null : joinSorted(globs));
  const rows: readonly (readonly [what: string, was: string, is: string | null])[] = [
    ['the base URL', header.target.baseUrl, baseUrl],
    ...Object.entries(models).map(
      ([role, id]) => [`the ${role} model`, header.models[role] ?? 'none', id] as const,
    ),
    // Only a list of names can contradict the claims of the run, which also hold with `all` and `auto`.
    [
      '--claim',
      joinSorted(claimedNames(header.claims)),
      typeof claim === 'string' ? null : joinSorted(claim),
    ],
    ['--only', joinSorted(header.filters.only), joinGiven(only)],
    ['--skip', joinSorted(header.filters.skip), joinGiven(skip)],
    ['--allow', joinPaid(header.allow), allow === null ? null : joinPaid(allowedCosts(allow))],
    ['--beta-header', header.betaHeader, betaHeader === DEFAULT_BETA_HEADER ? null : betaHeader],
    ['shard', formatShard(header.shard), shard === null ? null : formatShard(shard)],
  ];
  return rows;
}
