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
import { COST_CLASSES } from '../drive/configuration/settings.ts';
import { readPreviousRun } from '../drive/resume-state.ts';
import { type RoleModels, roleNames } from '../drive/scenario/scenario.ts';
import { claimedNames } from '../exchange/claims.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import { judgeAgain, liveRun, type RunOutcome } from './live-run.ts';
import { makeReportFolder } from './report/earlier-files.ts';
import { readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { removeReportFiles } from './report/write-reports.ts';
import type { RunOptions } from './run.ts';
import { dialectOfTraffic } from './setup/dialects.ts';
import { packageInfo } from './setup/package-info.ts';
import { UsageError } from './setup/usage-error.ts';
import { requestDialectOf } from './target.ts';

/**
 * Resumes the run in a report folder: polls the states that its scenarios waited for, runs the rest of these scenarios, and judges both parts as one run. Throws UsageError where it cannot be the same run.
 */
export async function resumeRun(
  dir: string,
  settings: Settings,
  options: RunOptions = {},
): Promise<RunOutcome> {
  const earlier = readEarlierReport(settings.compareTo);
  const known = { ...readKnownFailures(settings.baseline, options), earlier };
  const [cassette, ledger] = [join(dir, 'cassette'), join(dir, 'ledger.jsonl')];
  // Without its ledger, resumed scenarios could not remove what they created.
  if (!existsSync(ledger) || !(existsSync(cassette) || existsSync(`${cassette}.recording`)))
    throw new UsageError(
      `--resume ${dir}: the folder contains no run. Name the report folder of an earlier run, such as assay-report.`,
    );
  makeReportFolder(dir);
  const { header, waitingScenarios: waits } = await readPreviousRun(cassette, ledger);
  // Before the dialect is loaded and anything is sent: a mixture of two targets has no meaningful verdict.
  refuseOtherRun(dir, header, settings);
  const dialect = await dialectOfTraffic(header, settings.dialect);
  const configuration = asBefore(dir, header, settings, dialect);
  options.onEvent?.({ kind: 'resumed', reportDir: dir, waitingScenarios: waits });
  // Nothing to drive, but settings that only concern the judgement, such as the baseline, may have changed.
  if (waits.length === 0) return judgeAgain(configuration, { ...options, known, dialect });
  // An aborted resumption must not leave the report of the earlier run, which no longer describes the
  // cassette.
  removeReportFiles(configuration.reportDir);
  // The journal holds the end of the run only: the finished cassette is judged.
  return liveRun(configuration, { ...options, known, dialect, thread: null });
}

/** Everything that decides what is asked is as it was; how long to wait, and what is written, is given anew. */
function asBefore(
  dir: string,
  header: TraceHeader,
  settings: Settings,
  dialect: Dialect | null,
): RunConfiguration {
  // Roles that this version does not know are dropped; their scenarios do not exist any more.
  const models: RoleModels = {};
  for (const role of roleNames()) if (header.models[role] !== undefined) models[role] = header.models[role];
  return {
    ...configureForTarget({ ...settings, baseUrl: header.target.baseUrl }, requestDialectOf(dialect)),
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

/** A run is of one target, and of one set of models and claims. Throws UsageError that says what differs. */
export function refuseOtherRun(dir: string, header: TraceHeader, settings: Settings): void {
  // The advice is the same for all: the earlier run is the only source of these settings.
  const refuse = (what: string): never => {
    throw new UsageError(
      `--resume ${dir}: ${what} Remove the settings that differ: flags, ASSAY_ variables, assay.config.`,
    );
  };
  if (claimedNames(header.claims).length === 0 && header.claims.how === 'default')
    refuse('it holds traffic that assay recorded, and no run.');
  if (header.target.name === 'reference')
    refuse('its target was the reference service inside assay, which ended with the run.');
  const { version } = packageInfo();
  // Scenarios of another version may send other requests, which the recorded responses do not answer.
  if (header.tool.version !== version)
    refuse(`it is of assay ${header.tool.version}, and this is ${version}: go on with the same.`);
  for (const { what, was, is } of compared(header, settings)) {
    // Settings that are not given take the value of the run, so that `--resume DIR` alone is enough.
    if (is !== null && is !== was) refuse(`the run had ${what} ${was}, not ${is}.`);
  }
  if (settings.scenario.length > 0) refuse('the scenarios are those that wait, not --scenario.');
  if (settings.dryRun) refuse('there is nothing to rehearse, --dry-run is of whole runs.');
  if (resolve(settings.reportDir) !== resolve('assay-report') && resolve(settings.reportDir) !== resolve(dir))
    refuse(`its report is written there anew, not into ${settings.reportDir}.`);
  // The value of the earlier key is unknown, as only its presence is recorded.
  if (header.key && settings.apiKey === null)
    refuse('the run had an API key, which is missing now: set ASSAY_API_KEY, or name it by --api-key-env.');
  if (!header.key && settings.apiKey !== null)
    refuse('the run had no API key, and there is one now: unset ASSAY_API_KEY and OPENAI_API_KEY.');
}

/** Settings that decide which requests are sent: the value of the run, and the value given now, null where none is given. */
function compared(header: TraceHeader, settings: Settings) {
  const { claim, only, skip, allow, shard, models, baseUrl, betaHeader } = settings;
  // Values are compared as the command line writes them, and in any order, so that messages show what to
  // type.
  const part = (one: TraceHeader['shard']) => (one === null ? 'none' : `${one.index}/${one.of}`);
  const list = (all: readonly string[]) => all.toSorted().join(',');
  return [
    { what: 'the base URL', was: header.target.baseUrl, is: baseUrl },
    ...Object.entries(models).map(([role, id]) => ({
      what: `for ${role} the model`,
      was: header.models[role] ?? 'none',
      is: id,
    })),
    {
      what: '--claim',
      was: list(claimedNames(header.claims)),
      // `all` and `auto` are defaults or resolved anew; only a list of names can contradict.
      is: typeof claim === 'string' ? null : list(claim),
    },
    { what: '--only', was: list(header.filters.only), is: only.length === 0 ? null : list(only) },
    { what: '--skip', was: list(header.filters.skip), is: skip.length === 0 ? null : list(skip) },
    {
      what: '--allow',
      was: list(header.allow.filter((cost) => cost !== 'free')),
      is: allow === null ? null : list(allowedCosts(allow).filter((cost) => cost !== 'free')),
    },
    {
      what: '--beta-header',
      was: header.betaHeader,
      is: betaHeader === DEFAULT_BETA_HEADER ? null : betaHeader,
    },
    { what: 'shard', was: part(header.shard), is: shard === null ? null : part(shard) },
  ];
}
