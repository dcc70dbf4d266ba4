import type { Settings } from '../../drive/configuration/configuration.ts';
import { defaultClaim } from '../../drive/configuration/settings.ts';
import { printable } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { BaselineOutput } from '../../pipeline/report/known-failures.ts';
import type { RunOptions } from '../../pipeline/run.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { Execute } from '../options/command.ts';
import { requireNode } from '../options/require-node.ts';
import { readCommandSettings } from '../options/settings.ts';
import { colourMode } from '../output/terminal.ts';
import { tuneForShortRun } from '../serving/engine-tuning.ts';

interface Flags extends BaselineOutput {
  readonly resume?: string;
}

export const execute: Execute<Flags> = async ({ flags, self }) => {
  // The exact bytes of requests are part of the evidence, and other runtimes send different ones.
  requireNode('run');
  tuneForShortRun();
  const settings = await readCommandSettings(self, { claim: defaultClaim(process.env) });
  const { abortOnStopSignal } = await import('../serving/serving.ts');
  const { signal, release } = abortOnStopSignal();
  try {
    const isDryRun = settings.dryRun && flags.resume === undefined;
    return await (isDryRun ? dryRun(settings, signal) : driveTarget(settings, flags, signal));
  } finally {
    release();
  }
};

/** Returns the exit code of the report, but 1 instead of 0 if a secret could not be replaced. */
async function driveTarget(settings: Settings, flags: Flags, signal: AbortSignal): Promise<number> {
  const { baselineWrite, baselineReason, resume: dir } = flags;
  const [{ ProgressDisplay }, { printReport }] = await Promise.all([
    import('../output/progress.ts'),
    import('../output/print-report.ts'),
  ]);
  // Progress goes to stderr, to keep it apart from the report on stdout.
  const display = new ProgressDisplay(process.stderr, colourMode(process.stderr, settings.color));
  const options: RunOptions = {
    baselineWrite,
    baselineReason,
    signal,
    onEvent: (event) => display.show(event),
    onReport: printReport,
  };
  try {
    const { report, result } =
      dir === undefined
        ? await (await import('../../pipeline/run.ts')).run(settings, options)
        : await resumeEarlier(dir, settings, options);
    return report.summary.exitCode || (result?.quarantined ? 1 : 0);
  } finally {
    display.clear();
  }
}

/** The folder of `--resume` may be untrusted: its target gets the key only if the user allows it. Throws UsageError. */
async function resumeEarlier(dir: string, settings: Settings, options: RunOptions) {
  const [{ resumeRun, targetToResume }, { askToConfirm }] = await Promise.all([
    import('../../pipeline/resume.ts'),
    import('../options/confirmation.ts'),
  ]);
  const target = settings.baseUrl === null ? await targetToResume(dir, settings) : null;
  if (target !== null) {
    const where = printable(target);
    const answer = await askToConfirm(`Resume the run on ${where}, with your API key and --header fields?`);
    if (answer !== 'yes')
      throw new UsageError(
        `--resume ${dir}: its target is ${where}. Nothing was sent: add --base-url ${shellQuote(where)} if that is yours.`,
      );
  }
  return resumeRun(dir, settings, options);
}

/** Returns exit code 2 if the dry run stopped early or a scenario crashed, because its figures are incomplete. */
async function dryRun(settings: Settings, signal: AbortSignal): Promise<number> {
  const [pipeline, { runEstimateText }] = await Promise.all([
    import('../../pipeline/dry-run.ts'),
    import('../../reports/terminal/run-estimate.ts'),
  ]);
  const estimate = await pipeline.dryRun(settings, signal);
  process.stdout.write(runEstimateText(estimate));
  if (estimate.problems.length === 0) return 0;
  process.stderr.write(`${['These figures are incomplete:', ...estimate.problems].join('\n')}\n`);
  return 2;
}
