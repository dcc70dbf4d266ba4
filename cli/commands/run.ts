import type { Command } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import type { RunOptions } from '../../pipeline/run.ts';
import type { AddCommand } from '../options/command.ts';
import { addJudgingFlags, addTargetFlags, settingsOf, VERDICT_EXIT_CODES } from '../options/run-flags.ts';
import { requireNode, tuneForShortRun } from '../serving/engine-tuning.ts';

/** Flags of `run` that are not settings: they hold for this command line only. */
interface Flags {
  /** File to write the failures to, as a baseline for later runs. */
  readonly baselineWrite?: string;
  /** Reason of its new entries. */
  readonly baselineReason?: string;
  /** Report directory of the run to resume. */
  readonly resume?: string;
}

/**
 * `assay run`: drives the scenarios against a target, records the traffic, judges it and writes the report. Exits with the
 * code of the gate; SIGINT and SIGTERM end the run early, with its cleanup and its report.
 */
export const runCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('run')
    .description(
      'Drives the scenarios against a target, records the traffic, judges it and writes the report. ' +
        'Without --base-url the target is the reference service embedded in assay. ' +
        `Exits with ${VERDICT_EXIT_CODES}.`,
    );
  addJudgingFlags(addTargetFlags(command))
    .addHelpText(
      'after',
      '\nExample:\n  assay run --base-url http://127.0.0.1:8000/v1 --model chat=my-model --claim files,chat',
    )
    .action(async (flags: Flags, self: Command) => {
      // Before anything else: the exact bytes of requests are part of the evidence, and other runtimes send
      // different ones.
      requireNode('run');
      tuneForShortRun();
      const settings = await settingsOf(self, { claim: usualClaim() });
      const { interruption } = await import('../serving/serving.ts');
      const { signal, release } = interruption();
      try {
        // A resumed run has its scenarios from the earlier one, so there is nothing to estimate.
        const isDryRun = settings.dryRun && flags.resume === undefined;
        finish(isDryRun ? await dryRun(settings, signal) : await driven(settings, flags, signal));
      } finally {
        release();
      }
    });
};

/**
 * The claim of a run without `--claim`: a person sees what the target offers judged. In a pipeline (`CI` is set) it is everything,
 * so that no gate passes because an endpoint disappeared.
 */
function usualClaim(): 'all' | 'auto' {
  const { CI: ci = '' } = process.env;
  return ['', '0', 'false'].includes(ci) ? 'auto' : 'all';
}

/** Drives or resumes a run; returns the exit code: 1 instead of 0 where a secret could not be replaced. */
async function driven(settings: Settings, flags: Flags, signal: AbortSignal): Promise<number> {
  const { baselineWrite, baselineReason, resume: dir } = flags;
  const [{ ProgressDisplay }, { printReport }] = await Promise.all([
    import('../output/progress.ts'),
    import('../output/print-report.ts'),
  ]);
  // On stderr, so that `--report json` and a pipe behind the terminal report are not mixed with it.
  const display = new ProgressDisplay(process.stderr, settings.color ? 'on' : 'off');
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
        : await (await import('../../pipeline/resume.ts')).resumeRun(dir, settings, options);
    // A target that conforms does not excuse a cassette that still contains a secret.
    return report.summary.exitCode || (result?.quarantined ? 1 : 0);
  } finally {
    display.clear();
  }
}

/** Prints the estimate; returns the exit code: 2 where the rehearsal ended early, so that its figures are incomplete. */
async function dryRun(settings: Settings, signal: AbortSignal): Promise<number> {
  const [pipeline, { runEstimateText }] = await Promise.all([
    import('../../pipeline/dry-run.ts'),
    import('../../reports/terminal/run-estimate.ts'),
  ]);
  const estimate = await pipeline.dryRun(settings, signal);
  process.stdout.write(runEstimateText(estimate));
  if (estimate.broken.length === 0) return 0;
  process.stderr.write(`${['These figures are incomplete:', ...estimate.broken].join('\n')}\n`);
  return 2;
}
