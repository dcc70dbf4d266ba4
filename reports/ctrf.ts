import type { Verdict } from '../judge/verdict.ts';
import { type Evidence, failureBlocks, failureText } from './failure.ts';
import { paint } from './paint.ts';
import { printableReport } from './printable-report.ts';
import { inScope, type Report, type ReportedRequirement } from './report.ts';

const STATUS = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failed',
  untested: 'skipped',
  excused: 'skipped',
  inconclusive: 'other',
  error: 'other',
} as const satisfies Record<Verdict, string>;

/** The report in the Common Test Report Format (specification 0.0.0). Times run from 0: a verdict has none of its own. */
export function ctrf(given: Report, evidence: Evidence): string {
  const report = printableReport(given);
  const tests = inScope(report.requirements).map((one) => testOf(one, evidence));
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
        start: 0,
        stop: Math.round((report.cost.seconds ?? 0) * 1000),
        extra: report.summary,
      },
      tests,
      environment: { testEnvironment: report.target.baseUrl },
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function testOf(requirement: ReportedRequirement, evidence: Evidence) {
  const { id, family, level, basis, kind, spec, says, verdict, reason, baseline } = requirement;
  const broken = verdict === 'fail' || verdict === 'warn';
  return {
    name: id,
    status: baseline === null ? STATUS[verdict] : 'skipped',
    duration: 0,
    suite: [family],
    rawStatus: verdict,
    tags: [level, basis, kind],
    ...(broken ? { message: says, trace: words(requirement, evidence) } : {}),
    ...(!broken && reason !== null ? { message: reason } : {}),
    extra: { spec, says, baseline },
  };
}

function words(requirement: ReportedRequirement, evidence: Evidence): string {
  const blocks = failureBlocks(failureText(requirement, evidence), paint('off'));
  return blocks.map((block) => block.join('\n')).join('\n\n');
}
