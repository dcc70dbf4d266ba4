import type { Command } from 'commander';
import type { AddCommand } from '../command.ts';
import { tuneForShortRun, tuneForSmallHeap } from '../engine-tuning.ts';
import { addJudgingFlags, settingsOf, VERDICT_EXIT_CODES } from '../run-flags.ts';

/** So many exchanges are those of several runs. */
const MANY = 20_000;

/** `assay check CASSETTE…`: judges recorded traffic, offline. */
export const checkCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('check')
    .description(
      'Judges cassettes as `assay run` judges the traffic of a run. Several cassettes are judged as one: ' +
        'the shards of a run. Reports are printed; they are written where --report or --report-dir asks for it. ' +
        `Ends with ${VERDICT_EXIT_CODES}.`,
    )
    .argument('<cassette...>', 'folders that were recorded, or HAR files')
    .option(
      '--claim <families>',
      'judge these families (what the run claimed; for other traffic, what it calls)',
    );
  addJudgingFlags(command)
    .addHelpText('after', '\nExample:\n  assay check assay-report/cassette')
    .action(async (paths: string[], flags: { baselineWrite?: string }, self: Command) => {
      const settings = await settingsOf(self);
      const asked = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
      const [pipeline, { printReport }, { harNotice }] = await Promise.all([
        import('../../pipeline/check.ts'),
        import('../print-report.ts'),
        import('../notices/har-notice.ts'),
      ]);
      const report = await pipeline.judgeRecordings(
        paths,
        asked ? settings : { ...settings, report: ['terminal'] },
        {
          baselineWrite: flags.baselineWrite,
          onOpened: ({ size, har }) => {
            process.stderr.write(har.map(harNotice).join(''));
            if (size > MANY) tuneForSmallHeap();
            else tuneForShortRun();
          },
          onReport: printReport,
        },
      );
      finish(report.summary.exitCode);
    });
};
