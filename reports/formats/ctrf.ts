// The Common Test Report Format, specification 0.0.0. Facts for which it has no field are in `extra`.
import type { FailureContext } from '../failure/failure.ts';
import type { Report } from '../report.ts';
import { gateMessage, testResults } from './test-results.ts';

/**
 * The duration of a test, in milliseconds, is its share of the times of the operations that it concerns. If the exit
 * code is not 0 but no requirement has failed, the test `verdict` fails with the reasons.
 */
export function ctrfReport(rawReport: Report, context: FailureContext): string {
  const statuses = { undecided: 'other', defect: 'other' } as const;
  const { report, tests: results, start } = testResults(rawReport, context, statuses);
  const requirementTests = results.map(({ requirement, status, seconds, texts }) => {
    const { id, family, level, basis, kind, spec, says, verdict, baseline } = requirement;
    return {
      name: id,
      status,
      duration: Math.round(seconds * 1000),
      suite: [family],
      rawStatus: verdict,
      tags: [level, basis, kind],
      ...texts,
      extra: { spec, says, baseline },
    };
  });
  const message = results.some(({ status }) => status === 'failed') ? null : gateMessage(report);
  const gateTest = { name: 'verdict', status: 'failed', duration: 0, message } as const;
  const tests = message === null ? requirementTests : [gateTest, ...requirementTests];
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
