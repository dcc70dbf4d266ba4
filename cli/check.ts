import type { Command } from 'commander';
import { quote } from '../reports/again.ts';
import type { AddCommand } from './command.ts';
import { expectShortLife, keepHeapSmall } from './engine.ts';
import { addJudgingFlags, settingsOf, VERDICT_CODES } from './run-flags.ts';

/** So many exchanges are those of several runs. */
const MANY = 20_000;

/** `assay check CASSETTE…`: judges recorded traffic, offline. */
export const check: AddCommand = (program, { finish }) => {
  const command = program
    .command('check')
    .summary('judge recorded traffic, offline')
    .description(
      'Judges cassettes as `assay run` judges the traffic of a run. Several cassettes are judged as one: ' +
        'the shards of a run. Reports are printed; they are written where --report or --report-dir asks for it. ' +
        `Ends with ${VERDICT_CODES}.`,
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
      const [
        { openRecorded },
        { claimsOf },
        { dialectFor },
        { judgeRecorded },
        { knownFailures },
        { publish },
        { reportFolder },
      ] = await Promise.all([
        import('./cassettes.ts'),
        import('./claims.ts'),
        import('./dialect.ts'),
        import('./judging.ts'),
        import('./known-failures.ts'),
        import('./publish.ts'),
        import('./report-folder.ts'),
      ]);
      const asked = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
      const shown: typeof settings = asked ? settings : { ...settings, report: ['terminal'] };
      if (shown.report.some((name) => name !== 'terminal' && name !== 'github'))
        reportFolder(settings.reportDir);
      const recorded = await openRecorded(paths);
      if (recorded.size > MANY) keepHeapSmall();
      else expectShortLife();
      try {
        const dialect = await dialectFor(recorded.header, settings.dialect);
        const judged = await judgeRecorded(recorded, {
          settings,
          claims: await claimsOf(recorded, settings.claim, dialect),
          dialect,
          known: knownFailures(settings.baseline, flags.baselineWrite),
          began: null,
          cassette: { shown: paths.map(quote).join(' '), relative: null },
        });
        publish(judged, shown);
        finish(judged.report.summary.exitCode);
      } finally {
        recorded.close();
      }
    });
};
