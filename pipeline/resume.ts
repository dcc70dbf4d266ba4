import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { aimAtTarget, type RunConfiguration, type Settings } from '../drive/configuration.ts';
import { earlierRun } from '../drive/recall.ts';
import { type Role, roles } from '../drive/scenario.ts';
import { costs } from '../drive/settings.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialect.ts';
import { families } from '../schemas/index.ts';
import { dialectFor } from './dialects.ts';
import { judgeAgain, liveRun, type RunOutcome } from './live-run.ts';
import { knownFailures } from './report/known-failures.ts';
import { reportFolder } from './report/report-folder.ts';
import { removeReportFiles } from './report/write-reports.ts';
import { refuseOther } from './resume-check.ts';
import type { RunOptions } from './run.ts';
import { told } from './target.ts';
import { UsageError } from './usage-error.ts';

/**
 * Resumes the run in a report folder: polls what it waited for in vain, does what its scenarios do then, and judges
 * all of it as one run. Throws UsageError where it cannot be the same run.
 */
export async function resume(dir: string, settings: Settings, options: RunOptions = {}): Promise<RunOutcome> {
  const known = knownFailures(settings.baseline, options.baselineWrite);
  const [cassette, ledger] = [join(dir, 'cassette'), join(dir, 'ledger.jsonl')];
  if (!existsSync(ledger) || !(existsSync(cassette) || existsSync(`${cassette}.recording`)))
    throw new UsageError(
      `--resume ${dir}: there is no run in it. Name the report folder of an earlier run, such as assay-report.`,
    );
  reportFolder(dir);
  const { header, waits } = await earlierRun(cassette, ledger);
  refuseOther(dir, header, settings);
  const dialect = await dialectFor(header, settings.dialect);
  const configuration = asBefore(dir, header, settings, dialect);
  options.onEvent?.({ kind: 'resumed', reportDir: dir, waits });
  if (waits.length === 0) return judgeAgain(configuration, { ...options, known, dialect });
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
  const models: Partial<Record<Role, string>> = {};
  for (const role of roles) if (header.models[role] !== undefined) models[role] = header.models[role];
  return {
    ...aimAtTarget({ ...settings, baseUrl: header.target.baseUrl }, told(dialect)),
    betaHeader: header.betaHeader,
    models,
    claim: families().filter((family) => header.claims.families.includes(family)),
    only: header.filters.only,
    skip: header.filters.skip,
    allow: costs.filter((cost) => header.allow.includes(cost)),
    shard: header.shard,
    reportDir: dir,
  };
}
