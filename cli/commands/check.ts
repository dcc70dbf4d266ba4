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
 * Beyond these numbers a small heap matters more than fast startup. V8 flags only affect later compilation
 * and growth, so they are set before judging.
 */
const MANY = { exchanges: 20_000, files: 500 } as const;

interface Flags {
  readonly side: JudgedSide;
  readonly disturbed?: true;
  readonly baselineWrite?: string;
  readonly baselineReason?: string;
  readonly partial?: string;
  readonly before: number;
  readonly jobs: number;
}

/**
 * Writes report files only for `--report` or `--report-dir`: checking old traffic must not replace the report
 * of a run by accident.
 */
export const addCommand: AddCommand = (program, { finish }) => {
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
  addJudgingFlags(addDisturbedFlag(addSideFlag(command)), undefined, 'data')
    .option('--partial <file>', 'write a partial verdict for assay merge instead of a report')
    .option(
      '--before <n>',
      'with --partial: number of exchanges before this traffic (default: 0)',
      parseWholeNumber,
      0,
    )
    .option(
      '--jobs <n>',
      'threads that judge cassettes; the report stays the same (default: 1)',
      parseNumberOfJobs,
      1,
    )
    .addHelpText('after', '\nExample:\n  assay check assay-report/cassette')
    .action(async (paths: string[], flags: Flags, self: Command) => finish(await check(paths, flags, self)));
};

async function check(paths: readonly string[], flags: Flags, self: Command): Promise<number> {
  const settings = await settingsOf(self, { usual: 'data', sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
  // Loaded here so that `assay check --help` does not load the judge.
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
    hasOutputFlags ? settings : { ...settings, report: ['terminal'] },
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
