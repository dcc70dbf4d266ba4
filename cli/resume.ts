import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { aimAtTarget, type RunConfiguration, type Settings } from '../drive/configuration.ts';
import { earlierRun } from '../drive/recall.ts';
import { type Role, roles } from '../drive/scenario.ts';
import { costs, families } from '../drive/settings.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { quote } from '../reports/again.ts';
import { printable } from '../reports/excerpt.ts';
import { openRecorded } from './cassettes.ts';
import { dialectFor } from './dialect.ts';
import { UsageError } from './failing.ts';
import { judgeRecorded } from './judging.ts';
import { type KnownFailures, knownFailures } from './known-failures.ts';
import { publish } from './publish.ts';
import { reportFolder } from './report-folder.ts';
import { refuseOther } from './same-run.ts';
import { told } from './target.ts';
import { wholeRun } from './whole-run.ts';

/**
 * Goes on with the run in a report folder: polls what it waited for in vain, does what its scenarios do then, and judges
 * all of it as one run. Answers with the exit code. Throws UsageError where it cannot be the same run.
 */
export async function resume(
  dir: string,
  settings: Settings,
  baselineWrite: string | undefined,
): Promise<number> {
  const known = knownFailures(settings.baseline, baselineWrite);
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
  if (waits.length === 0) {
    process.stderr.write(`--resume ${dir}: nothing waits there. This is what the run came to.\n`);
    return judgedAgain(configuration, known, dialect);
  }
  const names = waits.map(({ scenario, state }) => `${scenario} (${printable(state)})`);
  process.stderr.write(`going on with ${names.join(', ')}\n`);
  return wholeRun(configuration, known, dialect, true);
}

type Dialect = Awaited<ReturnType<typeof dialectFor>>;

async function judgedAgain(
  configuration: RunConfiguration,
  known: KnownFailures,
  dialect: Dialect,
): Promise<number> {
  const shown = join(configuration.reportDir, 'cassette');
  const recorded = await openRecorded([shown]);
  try {
    const judged = await judgeRecorded(recorded, {
      settings: configuration,
      known,
      dialect,
      began: null,
      cassette: { shown: quote(shown), relative: 'cassette' },
    });
    publish(judged, configuration);
    return judged.report.summary.exitCode;
  } finally {
    recorded.close();
  }
}

/** Everything that decides what is asked is as it was; how long to wait, and what is written, is told anew. */
function asBefore(dir: string, header: TraceHeader, settings: Settings, dialect: Dialect): RunConfiguration {
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
