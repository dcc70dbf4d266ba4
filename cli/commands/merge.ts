import type { Command } from 'commander';
import type { AddCommand } from '../options/command.ts';
import { addJudgingFlags, settingsOf, VERDICT_EXIT_CODES } from '../options/run-flags.ts';

interface Flags {
  readonly baselineWrite?: string;
  readonly baselineReason?: string;
}

export const addCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('merge')
    .description(
      'Merges partial verdicts of `assay check --partial` into one report, the same as a check of all their traffic gives. ' +
        `Exits with ${VERDICT_EXIT_CODES}.`,
    )
    .argument('<partial...>', 'partial verdicts, in any order');
  addJudgingFlags(command, undefined, 'data')
    .addHelpText('after', '\nExample:\n  assay merge partials/*.json --report json,html')
    .action(async (files: string[], flags: Flags, self: Command) => finish(await merge(files, flags, self)));
};

async function merge(files: readonly string[], flags: Flags, self: Command): Promise<number> {
  const settings = await settingsOf(self, { usual: 'data', sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
  // Loaded here so that `assay merge --help` does not load the judge.
  const [{ mergePartials }, { printReport }] = await Promise.all([
    import('../../pipeline/partial-check.ts'),
    import('../output/print-report.ts'),
  ]);
  const { baselineWrite, baselineReason } = flags;
  const report = await mergePartials(
    files,
    hasOutputFlags ? settings : { ...settings, report: ['terminal'] },
    {
      baselineWrite,
      baselineReason,
      onReport: printReport,
    },
  );
  return report.summary.exitCode;
}
