// The step after a run in which a MUST could not be decided.
import type { Arrival } from '../../../judge/verdict/cause.ts';
import { shellQuote } from '../../failure/curl-command.ts';
import type { FailureContext } from '../../failure/failure.ts';
import { formatNumber, plural, type Report, type ReportedRequirement } from '../../report.ts';
import { breakdownsAmong, passingCauseWords, undecided, withPassingCause } from '../../undecided.ts';
import { failsWords } from '../../words/breakdown.ts';
import { rewriting } from './baseline-command.ts';
import type { NextStep } from './step.ts';

/** Where commands come from. */
type CommandSource = Pick<
  FailureContext,
  'baseUrl' | 'cassette' | 'reportDir' | 'baselineFile' | 'newBaselineFile'
>;

/** A MUST without a decision that nothing accepts. */
export function firstUndecided(report: Report, options: CommandSource): NextStep | null {
  const { open } = undecided(report);
  const [first] = open;
  if (first === undefined) return null;
  // Where the gate passed, it is accepted already.
  if (report.summary.verdict === 'conforms') return afterPass(report, open, options);
  const isOpen = report.summary.verdict === 'cannot-tell';
  if (isOpen) {
    const step = lookAtBreakdown(open, options) ?? runAgain(open, options);
    if (step !== null) return step;
  }
  const how = isOpen ? `, or accept those of today with ${acceptingFlags(options)}` : '';
  return { intro: `next: see why one could not be decided${how}:`, command: explaining(first, options) };
}

/**
 * After a pass that only --allow-inconclusive gives: a command on what the report does not explain yet, else the baseline that
 * accepts the same by name; null where only another run can decide.
 */
function afterPass(
  report: Report,
  open: readonly ReportedRequirement[],
  options: CommandSource,
): NextStep | null {
  const passing = new Set(withPassingCause(open));
  const lasting = open.filter((one) => !passing.has(one));
  const unexplained = lasting.find(({ cause }) => cause?.kind !== 'breakdown');
  if (unexplained !== undefined)
    return { intro: 'next: see why one could not be decided:', command: explaining(unexplained, options) };
  if (lasting.length === 0) return null;
  return {
    intro: `next: accept ${plural(lasting.length, 'MUST')} without a decision by name, so that --allow-inconclusive does not accept those of other runs, too:`,
    command: rewriting(report, options),
  };
}

/** A target that fails each time fails in the next run, too: it is to be mended, or the fault is to be accepted. */
function lookAtBreakdown(open: readonly ReportedRequirement[], options: CommandSource): NextStep | null {
  const broken = open.filter(({ cause }) => cause?.kind === 'breakdown');
  const [first] = broken;
  if (first?.cause?.kind !== 'breakdown') return null;
  const [fault] = first.cause.faults;
  const why = fault === undefined ? 'fails' : failsWords(fault);
  const others = breakdownsAmong(broken).length - 1;
  const more = others === 0 ? '' : `, and ${plural(others, 'more such fault')}`;
  return {
    intro:
      `next: see why the service ${why}${more}: ${countOf(broken, open)} could not be decided for that, and to run it again will not help ` +
      `(${acceptingFlags(options)} accepts it until it is mended); what came:`,
    command: showing(first, options),
  };
}

/** Where the cause passes, a baseline accepts nothing: to write one leads back to the same step. */
function runAgain(open: readonly ReportedRequirement[], options: CommandSource): NextStep | null {
  const passing = withPassingCause(open);
  const [first] = passing;
  if (first === undefined) return null;
  const why = passingCauseWords(first.cause?.kind ?? 'capacity');
  const isLimited = passing.some(
    ({ cause }) => cause?.kind === 'capacity' && answeredStatus(cause.arrival) === 429,
  );
  const when = isLimited ? 'with fewer requests per second (--rate-limit N)' : 'when the service is well';
  return {
    intro:
      `next: run it again ${when}: ${countOf(passing, open)} could not be decided because ${why}, ` +
      'which no baseline accepts (--allow-inconclusive passes all the same); what came:',
    command: showing(first, options),
  };
}

/** The status of an answer; null where none arrived. */
function answeredStatus(arrival: Arrival | null): number | null {
  return arrival?.what === 'answered' ? arrival.status : null;
}

/** How many of those that keep the gate from a verdict: `6 MUSTs`, `6 of 27 MUSTs`. */
function countOf(some: readonly unknown[], { length }: readonly unknown[]): string {
  const all = plural(length, 'MUST');
  return some.length === length ? all : `${formatNumber(some.length)} of ${all}`;
}

/** The options that accept what is not decided. */
function acceptingFlags({ baselineFile, newBaselineFile }: CommandSource): string {
  const file = baselineFile ?? newBaselineFile;
  return `--baseline-write ${file === undefined ? 'FILE' : shellQuote(file)} --baseline-reason "WHY"`;
}

/** The command that prints the answer for which one was not decided. */
function showing(one: ReportedRequirement, options: CommandSource): string {
  const { cassette } = options;
  return cassette === null || one.cause === null || !('exchange' in one.cause)
    ? explaining(one, options)
    : `npx assay show ${cassette} ${one.cause.exchange}`;
}

/** The command that says why one was not decided. */
function explaining({ id }: ReportedRequirement, { reportDir, baseUrl }: CommandSource): string {
  const report = reportDir == null ? '' : ` --report ${shellQuote(reportDir)}`;
  return `npx assay explain ${shellQuote(id)}${report}${baseUrl === null ? '' : ` --base-url ${shellQuote(baseUrl)}`}`;
}
