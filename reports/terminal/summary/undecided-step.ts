// The step after a run in which a MUST could not be decided.
import { shellQuote } from '../../failure/curl-command.ts';
import type { FailureContext } from '../../failure/failure.ts';
import { plural, type Report, type ReportedRequirement } from '../../report.ts';
import { passingCauseWords, undecided, withPassingCause } from '../../undecided.ts';
import type { NextStep } from './step.ts';

/** Where commands come from. */
type CommandSource = Pick<FailureContext, 'baseUrl' | 'cassette' | 'reportDir' | 'baselineFile'>;

/** A MUST without a decision that nothing accepts. */
export function firstUndecided(report: Report, options: CommandSource): NextStep | null {
  const { open } = undecided(report);
  const [first] = open;
  if (first === undefined) return null;
  // Where the gate passed, it is accepted already.
  const isOpen = report.summary.verdict === 'cannot-tell';
  const again = withPassingCause(open);
  if (isOpen && again[0] !== undefined) return runAgain(again[0], again.length, options);
  const { baselineFile } = options;
  const how = isOpen
    ? `, or accept those of today with --baseline-write ${baselineFile == null ? 'FILE' : shellQuote(baselineFile)} --baseline-reason "WHY"`
    : '';
  return { intro: `next: see why one could not be decided${how}:`, command: explaining(first, options) };
}

/** Where the cause passes, a baseline accepts nothing: to write one leads back to the same step. */
function runAgain(first: ReportedRequirement, count: number, options: CommandSource): NextStep {
  const { cause } = first;
  const exchange = cause !== null && 'exchange' in cause ? cause.exchange : null;
  const { cassette } = options;
  const why = passingCauseWords(cause?.kind ?? 'capacity');
  return {
    intro:
      `next: run it again when the service is well: ${plural(count, 'MUST')} could not be decided because ${why}, ` +
      'which no baseline accepts (--allow-inconclusive passes all the same); what came:',
    command:
      cassette === null || exchange === null
        ? explaining(first, options)
        : `npx assay show ${cassette} ${exchange}`,
  };
}

/** The command that says why one was not decided. */
function explaining({ id }: ReportedRequirement, { reportDir, baseUrl }: CommandSource): string {
  const report = reportDir == null ? '' : ` --report ${shellQuote(reportDir)}`;
  return `npx assay explain ${shellQuote(id)}${report}${baseUrl === null ? '' : ` --base-url ${shellQuote(baseUrl)}`}`;
}
