// Results for Allure: one file for each requirement, which Allure joins with those of other test runners.
// The fields are those of its result files of version 2, which version 3 reads, too. Severity stands for the level of the
// specification; a suite is a family, so that Allure groups by family as our own reports do.
import { createHash } from 'node:crypto';
import type { Verdict } from '../../judge/verdict/verdict.ts';
import { acceptedAs } from '../counts.ts';
import { type FailureContext, failureWords } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, type ReportedRequirement, requirementsInScope } from '../report.ts';
import { secondsOf, startOf } from './durations.ts';

/** Status by verdict. Warnings pass, as in the exit code; a defect of assay breaks the test, not the target. */
const STATUS = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failed',
  untested: 'skipped',
  excused: 'skipped',
  inconclusive: 'unknown',
  error: 'broken',
} as const satisfies Record<Verdict, string>;

/** A result file of Allure. The name depends on target and requirement only, so that a later run replaces it. */
interface AllureFile {
  readonly name: string;
  readonly text: string;
}

/** A result for each requirement in scope. All start with the run; durations are parts of the time of the exchanges. Milliseconds. */
export function allureResults(given: Report, context: FailureContext): readonly AllureFile[] {
  const report = printableReport(given);
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

/** What the requirement is, the same in every run: Allure recognises it by `historyId`, and groups it by its labels. */
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

/** The verdict; known failures are skipped, with the reason. Details show the failure as the terminal does. */
function outcome(requirement: ReportedRequirement, context: FailureContext) {
  const { verdict, says, reason, baseline } = requirement;
  const isBroken = verdict === 'fail' || verdict === 'warn';
  const details = {
    ...(isBroken && { message: says, trace: failureWords(requirement, context) }),
    ...(!isBroken && reason !== null && { message: reason }),
    // The reason of the baseline is what a reader of a skipped test looks for.
    ...(baseline !== null && { known: true, message: `${acceptedAs(requirement)}: ${baseline}` }),
  };
  return { status: baseline === null ? STATUS[verdict] : 'skipped', statusDetails: details };
}

/** A UUID of version 8 out of a text: the same text gives the same. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
