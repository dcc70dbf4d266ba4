// Result files of Allure 2, which Allure 3 reads too: one per requirement. Severity is the requirement's
// level, suites are families.
import { createHash } from 'node:crypto';
import type { Verdict } from '../../judge/verdict/verdict.ts';
import { acceptedAs } from '../counts.ts';
import { type FailureContext, failureText, plainFailure } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, type ReportedRequirement, requirementsInScope, withToleranceKnown } from '../report.ts';
import { secondsOf, startOf } from './durations.ts';

/** Warnings pass, as for the exit code. A defect of assay is `broken`, not `failed`. */
const STATUS = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failed',
  untested: 'skipped',
  excused: 'skipped',
  inconclusive: 'unknown',
  error: 'broken',
} as const satisfies Record<Verdict, string>;

/** Named by target and requirement, so that the next run replaces it. */
interface AllureFile {
  readonly name: string;
  readonly text: string;
}

/**
 * All results start with the run. A duration is a share of the time of the exchanges; times are in
 * milliseconds.
 */
export function allureResults(given: Report, context: FailureContext): readonly AllureFile[] {
  const report = withToleranceKnown(printableReport(given));
  const judged = requirementsInScope(report.requirements);
  const times = secondsOf(report, judged);
  const start = startOf(report);
  return judged.map((one) => {
    const uuid = uuidOf(`${report.target.name} ${one.id}`);
    const stop = start + Math.round((times.get(one.id) ?? 0) * 1000);
    const result = { uuid, ...identity(one, report), ...outcome(one, context), start, stop };
    return { name: `${uuid}-result.json`, text: `${JSON.stringify(result, null, 1)}\n` };
  });
}

/** Stable across runs: Allure matches results by `historyId`. */
function identity(
  { id, family, level, basis, kind, spec, says, operations }: ReportedRequirement,
  { target, tool }: Report,
) {
  const severity = level === 'MUST' ? 'critical' : 'minor';
  const labels = Object.entries({
    parentSuite: target.name,
    suite: family,
    feature: spec,
    framework: tool.name,
    severity,
  });
  return {
    historyId: uuidOf(id),
    testCaseId: uuidOf(id),
    fullName: `${family}.${id}`,
    name: id,
    description: says,
    stage: 'finished',
    labels: [
      ...labels.map(([name, value]) => ({ name, value })),
      ...[level, basis, kind, ...operations.slice(0, 3)].map((value) => ({ name: 'tag', value })),
    ],
  };
}

function outcome(requirement: ReportedRequirement, context: FailureContext) {
  const { verdict, says, reason, baseline } = requirement;
  const isBroken = verdict === 'fail' || verdict === 'warn';
  const details = {
    ...(isBroken && { message: says, trace: plainFailure(failureText(requirement, context)) }),
    ...(!isBroken && reason !== null && { message: reason }),
    // A skipped test shows the reason from the baseline.
    ...(baseline !== null && { known: true, message: `${acceptedAs(requirement)}: ${baseline}` }),
  };
  return { status: baseline === null ? STATUS[verdict] : 'skipped', statusDetails: details };
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
