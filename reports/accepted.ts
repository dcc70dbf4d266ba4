// Everything that a baseline accepts, grouped by the reason that it gives.
import { plural, type Report, type ReportedRequirement } from './report.ts';

/** Everything that is accepted for one reason: failures, and requirements that could not be decided. */
export interface AcceptedGroup {
  readonly reason: string;
  readonly failures: readonly ReportedRequirement[];
  readonly undecided: readonly ReportedRequirement[];
}

/** The groups in the order of the report: a reason that is written for a hundred entries is read once. */
export function acceptedGroups({ requirements }: Report): readonly AcceptedGroup[] {
  const accepted = requirements.filter(({ baseline }) => baseline !== null);
  const reasons = new Set(accepted.map(({ baseline }) => baseline ?? ''));
  return [...reasons].map((reason) => {
    const all = accepted.filter(({ baseline }) => baseline === reason);
    return {
      reason,
      failures: all.filter((one) => !isUndecided(one)),
      undecided: all.filter(isUndecided),
    };
  });
}

/** `12 known failures, 3 not decided`. */
export function acceptedCount({ failures, undecided }: AcceptedGroup): string {
  return [
    ...(failures.length === 0 ? [] : [plural(failures.length, 'known failure')]),
    ...(undecided.length === 0 ? [] : [`${undecided.length} not decided`]),
  ].join(', ');
}

/** The kind of an accepted requirement, in words. */
export function acceptedAs(one: ReportedRequirement): string {
  return isUndecided(one) ? 'accepted without a decision' : 'known failure';
}

function isUndecided({ verdict }: ReportedRequirement): boolean {
  return verdict === 'inconclusive';
}
