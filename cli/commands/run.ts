import type { Command } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import type { RunOptions } from '../../pipeline/run.ts';
import type { AddCommand } from '../command.ts';
import { requireNode, tuneForShortRun } from '../engine-tuning.ts';
import { addJudgingFlags, addTargetFlags, settingsOf, VERDICT_EXIT_CODES } from '../run-flags.ts';

/** `assay run`: drives the scenarios against a target, records, judges, reports. */
export const runCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('run')
    .description(
      'Drives the scenarios against a target, records the traffic, judges it and writes the report. ' +
        'Without --base-url the target is the reference service that comes with assay. ' +
        `Ends with ${VERDICT_EXIT_CODES}.`,
    );
  addJudgingFlags(addTargetFlags(command))
    .addHelpText(
      'after',
      '\nExample:\n  assay run --base-url http://127.0.0.1:8000/v1 --model chat=my-model --claim files,chat',
    )
    .action(async (flags: { baselineWrite?: string; resume?: string }, self: Command) => {
      requireNode('run');
      tuneForShortRun();
      const settings = await settingsOf(self);
      const { interruption } = await import('../serving.ts');
      const { signal, release } = interruption();
      try {
        finish(
          settings.dryRun && flags.resume === undefined ? await dryRun(settings, signal) : await driven(),
        );
      } finally {
        release();
      }

      async function driven(): Promise<number> {
        const { baselineWrite, resume: dir } = flags;
        const [{ ProgressDisplay }, { printReport }] = await Promise.all([
          import('../progress.ts'),
          import('../print-report.ts'),
        ]);
        const display = new ProgressDisplay(process.stderr, settings.color ? 'on' : 'off');
        const options: RunOptions = {
          baselineWrite,
          signal,
          onEvent: (event) => display.show(event),
          onReport: printReport,
        };
        try {
          const { report, result } =
            dir === undefined
              ? await (await import('../../pipeline/run.ts')).run(settings, options)
              : await (await import('../../pipeline/resume/resume.ts')).resumeRun(dir, settings, options);
          return report.summary.exitCode || (result?.quarantined ? 1 : 0);
        } finally {
          display.clear();
        }
      }
    });
};

/** Answers with the exit code: 2 where the rehearsal did not come to its end, so that its figures are not whole. */
async function dryRun(settings: Settings, signal: AbortSignal): Promise<number> {
  const [pipeline, { runEstimateText }] = await Promise.all([
    import('../../pipeline/dry-run.ts'),
    import('../../reports/terminal/run-estimate.ts'),
  ]);
  const estimate = await pipeline.dryRun(settings, signal);
  process.stdout.write(runEstimateText(estimate));
  if (estimate.broken.length === 0) return 0;
  process.stderr.write(`${['These figures are not whole:', ...estimate.broken].join('\n')}\n`);
  return 2;
}
