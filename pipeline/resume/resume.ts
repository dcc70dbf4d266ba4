import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  configureForTarget,
  NO_MODEL_SEARCH,
  type RunConfiguration,
  type Settings,
} from '../../drive/configuration/configuration.ts';
import { COST_CLASSES } from '../../drive/configuration/settings.ts';
import { readPreviousRun } from '../../drive/resume-state.ts';
import { type RoleModels, roleNames } from '../../drive/scenario/scenario.ts';
import { claimedNames } from '../../exchange/claims.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import { dialectOfTraffic } from '../dialects.ts';
import { judgeAgain, liveRun, type RunOutcome } from '../live-run.ts';
import { readEarlierReport } from '../report/earlier-report.ts';
import { readKnownFailures } from '../report/known-failures.ts';
import { makeReportFolder } from '../report/report-folder.ts';
import { removeReportFiles } from '../report/write-reports.ts';
import type { RunOptions } from '../run.ts';
import { requestDialectOf } from '../target.ts';
import { UsageError } from '../usage-error.ts';
import { refuseOtherRun } from './same-run.ts';

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
