// The Common Test Report Format, specification 0.0.0. Anything it has no field for is in `extra`.
import type { Verdict } from '../../judge/verdict/verdict.ts';
import { type FailureContext, failureText, plainFailure } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, type ReportedRequirement, requirementsInScope, withToleranceKnown } from '../report.ts';
import { secondsOf, startOf } from './durations.ts';

const STATUS = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failed',
  untested: 'skipped',
  excused: 'skipped',
  inconclusive: 'other',
  error: 'other',
} as const satisfies Record<Verdict, string>;

/** A test's duration is its share of the time of the exchanges, in milliseconds. */
export function ctrfReport(given: Report, context: FailureContext): string {
  const report = withToleranceKnown(printableReport(given));
  const judged = requirementsInScope(report.requirements);
  const times = secondsOf(report, judged);
  const start = startOf(report);
  const tests = judged.map((one) => testOf(one, times.get(one.id) ?? 0, context));
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const document = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    generatedBy: `${report.tool.name} ${report.tool.version}`,
    results: {
      tool: { name: report.tool.name, version: report.tool.version },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: 0,
        other: count('other'),
        start,
        stop: start + Math.round((report.cost.seconds ?? 0) * 1000),
        extra: report.summary,
      },
      tests,
      environment: { testEnvironment: report.target.baseUrl },
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function testOf(requirement: ReportedRequirement, seconds: number, context: FailureContext) {
  const { id, family, level, basis, kind, spec, says, verdict, reason, baseline } = requirement;
  const broken = verdict === 'fail' || verdict === 'warn';
  return {
    name: id,
    // A known failure must not fail a dashboard when the gate passes.
    status: baseline === null ? STATUS[verdict] : 'skipped',
    duration: Math.round(seconds * 1000),
    suite: [family],
    rawStatus: verdict,
    tags: [level, basis, kind],
    ...(broken ? { message: says, trace: plainFailure(failureText(requirement, context)) } : {}),
    ...(!broken && reason !== null ? { message: reason } : {}),
    extra: { spec, says, baseline },
  };
}
