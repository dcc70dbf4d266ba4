import { isBroken } from '../../judge/verdict/failure-count.ts';
import { brokenPins } from '../failure/broken-items.ts';
import { type FailureContext, failureText, plainFailure } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { acceptTolerated, requirementsInScope } from '../selection.ts';
import { verdictWords } from '../verdict-words.ts';

interface TestResult<Status extends string> {
  readonly requirement: ReportedRequirement;
  readonly status: 'passed' | 'failed' | 'skipped' | Status;
  readonly seconds: number;
  readonly texts: { readonly message?: string; readonly trace?: string };
}

/** The requirements that formats report one by one: all in scope, and one for each broken pin. */
export function testedRequirements(report: Report): readonly ReportedRequirement[] {
  return [...requirementsInScope(report.requirements), ...brokenPins(report)];
}

/** Warnings pass, even if `--fail-on should` fails the run; what the baseline or `--tolerate` accepts is skipped. */
export function testResults<Status extends string>(
  rawReport: Report,
  context: FailureContext,
  { undecided, defect }: { readonly undecided: Status; readonly defect: Status },
): { readonly report: Report; readonly tests: readonly TestResult<Status>[]; readonly start: number } {
  const report = acceptTolerated(printableReport(rawReport));
  const judged = testedRequirements(report);
  const times = secondsOf(report, judged);
  const statuses: Readonly<Record<ReportedRequirement['verdict'], TestResult<Status>['status']>> = {
    pass: 'passed',
    warn: 'passed',
    fail: 'failed',
    untested: 'skipped',
    excused: 'skipped',
    inconclusive: undecided,
    error: defect,
  };
  const tests = judged.map((requirement): TestResult<Status> => {
    const { id, verdict, baseline } = requirement;
    const status = baseline === null ? statuses[verdict] : 'skipped';
    return { requirement, status, seconds: times.get(id) ?? 0, texts: textsOf(requirement, context) };
  });
  return { report, tests, start: report.date == null ? 0 : Date.parse(report.date) };
}

/** Why the exit code is not 0, for results in which no test has failed; null if it is 0. */
export function gateMessage(report: Report): string | null {
  const { exitCode, reasons } = report.summary;
  return exitCode === 0 ? null : `${verdictWords(report)}: ${reasons.join('; ')}`;
}

function textsOf(requirement: ReportedRequirement, context: FailureContext): TestResult<never>['texts'] {
  const { says, reason } = requirement;
  if (isBroken(requirement)) return { message: says, trace: plainFailure(failureText(requirement, context)) };
  return reason === null ? {} : { message: reason };
}

/** Seconds by requirement id: the time of an operation is divided equally among its requirements with evidence. */
export function secondsOf(
  { operations }: Report,
  judged: readonly ReportedRequirement[],
): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  const withEvidence = judged.filter(({ observations }) => observations > 0);
  for (const row of operations) {
    const rows = operations.filter(({ id }) => id === row.id);
    const sharers = withEvidence.filter(({ family, operations: ids }) => {
      const hasOtherRow = rows.some((other) => other !== row && other.family === family);
      return ids.includes(row.id) && (row.family === family || !hasOtherRow);
    });
    for (const { id } of sharers)
      seconds.set(id, (seconds.get(id) ?? 0) + (row.milliseconds ?? 0) / 1000 / sharers.length);
  }
  return seconds;
}
