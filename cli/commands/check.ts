import type { Command } from 'commander';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { RecordedTraffic } from '../../pipeline/traffic/recorded-traffic.ts';
import type { AddCommand } from '../options/command.ts';
import { parseNumberOfJobs, parseWholeNumber } from '../options/flag-values.ts';
import {
  addDisturbedFlag,
  addJudgingFlags,
  addSideFlag,
  settingsOf,
  VERDICT_EXIT_CODES,
} from '../options/run-flags.ts';
import { tuneForShortRun, tuneForSmallHeap } from '../serving/engine-tuning.ts';

/**
 * From these numbers on, the judge holds so much that a small heap matters more than a short start. The flags of V8
 * act only on later compilation and growth, so they are set before anything is judged.
 */
const MANY = { exchanges: 20_000, files: 500 } as const;

/** Flags that hold for this command line only; the others are settings. */
interface Flags {
  /** The side that is judged. */
  readonly side: JudgedSide;
  /** Set where the answers were spoiled on purpose, though the recordings do not say so. */
  readonly disturbed?: true;
  /** File to write the failures to, as a baseline for later runs. */
  readonly baselineWrite?: string;
  /** Reason of its new entries. */
  readonly baselineReason?: string;
  /** File to write the partial verdict to, in place of a report. */
  readonly partial?: string;
  /** How many exchanges are in front of this traffic. */
  readonly before: number;
  /** Threads that judge. */
  readonly jobs: number;
}

/**
 * `assay check CASSETTE…`: judges recorded traffic, offline. Exits with the code of the gate.
 * Reports are files only where `--report` or `--report-dir` asks for them: a check of old traffic must not replace the
 * report of a run by accident.
 */
export const checkCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('check')
    .description(
      'Judges recorded traffic with the same requirements as `assay run`. Several cassettes are judged as one trace, ' +
        'such as the shards of a run. The report is printed; report files are written only with --report or --report-dir. ' +
        `Exits with ${VERDICT_EXIT_CODES}.`,
    )
    .argument('<cassette...>', 'cassette folders, HAR files, or files of VCR, nock or mitmproxy')
    .option(
      '--claim <families>',
      'families, operations or profiles to judge (default: those the run claimed; for other traffic, families that it calls)',
    );
  addJudgingFlags(addDisturbedFlag(addSideFlag(command)))
    .option(
      '--partial <file>',
      'write what this traffic adds to a verdict, for assay merge, in place of a report',
    )
    .option(
      '--before <n>',
      'with --partial: exchanges in the traffic in front of this (default: 0)',
      parseWholeNumber,
      0,
    )
    .option(
      '--jobs <n>',
      'judge cassettes in so many threads, with the same report (default: 1)',
      parseNumberOfJobs,
      1,
    )
    .addHelpText('after', '\nExample:\n  assay check assay-report/cassette')
    .action(async (paths: string[], flags: Flags, self: Command) => finish(await check(paths, flags, self)));
};

/** Judges the recordings, prints the report, and returns the exit code of the gate. */
async function check(paths: readonly string[], flags: Flags, self: Command): Promise<number> {
  const settings = await settingsOf(self, { sendsKey: false });
  const asked = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
  // Imported here and not above: `assay check --help` must not load the judge.
  const [pipeline, { printReport }, { harNotices }] = await Promise.all([
    import('../../pipeline/check.ts'),
    import('../output/print-report.ts'),
    import('../output/run-notices.ts'),
  ]);
  const { baselineWrite, baselineReason, partial, before, jobs, side, disturbed } = flags;
  const onOpened = ({ size, har }: RecordedTraffic): void => {
    process.stderr.write(harNotices(har));
    if (size > MANY.exchanges || har.length > MANY.files) tuneForSmallHeap();
    else tuneForShortRun();
  };
  if (partial !== undefined) {
    if (jobs > 1)
      throw new UsageError('--partial and --jobs do not go together: judge several parts at the same time.');
    const { judgePartially } = await import('../../pipeline/partial-check.ts');
    await judgePartially(paths, settings, { out: partial, side, disturbed, before, onOpened });
    return 0;
  }
  const report = await pipeline.judgeRecordings(
    paths,
    asked ? settings : { ...settings, report: ['terminal'] },
    {
      side,
      disturbed,
      jobs,
      baselineWrite,
      baselineReason,
      onOpened,
      onReport: printReport,
    },
  );
  return report.summary.exitCode;
}
