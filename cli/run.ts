import type { Command } from 'commander';
import type { AddCommand } from './command.ts';
import { expectShortLife } from './engine.ts';
import { addDrivingFlags, addJudgingFlags, settingsOf, VERDICT_CODES } from './run-flags.ts';

/** `assay run`: drives the scenarios against a target, records, judges, reports. */
export const run: AddCommand = (program, { finish }) => {
  const command = program
    .command('run')
    .summary('drive and judge a target')
    .description(
      'Drives the scenarios against a target, records the traffic, judges it and writes the report. ' +
        'Without --base-url the target is the reference service that comes with assay. ' +
        `Ends with ${VERDICT_CODES}.`,
    );
  addJudgingFlags(addDrivingFlags(command))
    .addHelpText(
      'after',
      '\nExample:\n  assay run --base-url http://127.0.0.1:8000/v1 --model chat=my-model --claim files,chat',
    )
    .action(async (flags: { baselineWrite?: string; resume?: string }, self: Command) => {
      expectShortLife();
      const settings = await settingsOf(self);
      if (flags.resume !== undefined) {
        const { resume } = await import('./resume.ts');
        finish(await resume(flags.resume, settings, flags.baselineWrite));
        return;
      }
      const [{ knownFailures }, { reportFolder }, { aim }, { dryRun }, { wholeRun }] = await Promise.all([
        import('./known-failures.ts'),
        import('./report-folder.ts'),
        import('./target.ts'),
        import('./dry-run.ts'),
        import('./whole-run.ts'),
      ]);
      const { refuseUnmatched } = await import('./unmatched.ts');
      await refuseUnmatched(settings);
      const known = knownFailures(settings.baseline, flags.baselineWrite);
      if (!settings.dryRun) reportFolder(settings.reportDir);
      const { configuration, dialect, close } = await aim(settings);
      try {
        const code = configuration.dryRun
          ? await dryRun(configuration)
          : await wholeRun(configuration, known, dialect);
        finish(code);
      } finally {
        await close();
      }
    });
};
