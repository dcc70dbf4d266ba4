// Result files of Allure 2, which Allure 3 reads too: one for each broken pin, and each requirement that is not left
// out. Severity is the level; suites are families.
import { createHash } from 'node:crypto';
import { acceptanceLabel } from '../accepted-groups.ts';
import type { FailureContext } from '../failure/failure.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { testResults } from './test-results.ts';

const MAX_OPERATION_TAGS = 3;

/** Files are named by target and id, so that the next run replaces them. Durations are shares of the exchange times. */
export function allureResults(rawReport: Report, context: FailureContext) {
  // A bug in assay is `broken`, not `failed`.
  const statuses = { undecided: 'unknown', defect: 'broken' } as const;
  const { report, tests, start } = testResults(rawReport, context, statuses);
  return tests.map(({ requirement, status, seconds, texts }) => {
    const { id, baseline } = requirement;
    const uuid = uuidOf(`${report.target.name} ${id}`);
    const stop = start + Math.round(seconds * 1000);
    const known = baseline !== null && {
      known: true,
      message: `${acceptanceLabel(requirement)}: ${baseline}`,
    };
    const outcome = { status, statusDetails: { ...texts, ...known } };
    const result = { uuid, ...stableFields(requirement, report), ...outcome, start, stop };
    return { name: `${uuid}-result.json`, text: `${JSON.stringify(result, null, 1)}\n` };
  });
}

/** The fields that do not depend on the run; Allure matches results of different runs by `historyId`. */
function stableFields(
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
      ...[level, basis, kind, ...operations.slice(0, MAX_OPERATION_TAGS)].map((value) => ({
        name: 'tag',
        value,
      })),
    ],
  };
}

/** A UUID of version 8 (RFC 9562) that is equal for equal texts. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
