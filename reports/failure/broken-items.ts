import type { DiagnosisVerdict } from '../../judge/verdict/verdict.ts';
import {
  DAMAGE,
  damageOf,
  openCauses,
  type Report,
  type ReportedRequirement,
  toleratedFailures,
  unexcusedRequirements,
} from '../report.ts';
import { type FailureGroup, groupFailures } from './failure.ts';

/** One entry of what is broken: a cause of refusals, or failures that are probably one defect. */
export type BrokenItem =
  | { readonly kind: 'cause'; readonly diagnosis: DiagnosisVerdict }
  | { readonly kind: 'group'; readonly group: FailureGroup<ReportedRequirement> };

/**
 * What is broken, in the order in which a maintainer would mend it: wrong answers, refused requests, missing fields, then one
 * entry for each operation that accepts invalid requests. SHOULDs come last.
 */
export function brokenItems(report: Report): readonly BrokenItem[] {
  const causes = openCauses(report).map((diagnosis) => ({ kind: 'cause', diagnosis }) as const);
  const fails = groupsOf(unexcusedRequirements(report, 'fail'));
  const isBefore = ({ group }: (typeof fails)[number]) => damageOf(group.first) < DAMAGE.refusal;
  return [
    ...fails.filter(isBefore),
    ...causes,
    ...fails.filter((one) => !isBefore(one)),
    ...groupsOf(unexcusedRequirements(report, 'warn')),
  ];
}

/** Tolerated failures, one group for each operation. */
export function toleratedGroups(report: Report): readonly FailureGroup<ReportedRequirement>[] {
  return groupFailures(toleratedFailures(report));
}

function groupsOf(broken: readonly ReportedRequirement[]) {
  return groupFailures(broken).map((group) => ({ kind: 'group', group }) as const);
}
