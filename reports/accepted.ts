// Everything that a baseline accepts, grouped by the reason that it gives.
import { countKnownFailures, type FailureCount } from '../judge/verdict/failure-count.ts';
import { acceptedMusts } from '../judge/verdict/gate.ts';
import { plural, type Report, type ReportedRequirement } from './report.ts';

/** Everything that is accepted for one reason: failures, and requirements that could not be decided. */
export interface AcceptedGroup {
  readonly reason: string;
  readonly failures: readonly ReportedRequirement[];
  readonly undecided: readonly ReportedRequirement[];
  /** The same in numbers, as the gate counts: what only follows from a cause is counted apart. */
  readonly counts: {
    readonly failures: FailureCount;
    readonly undecided: FailureCount;
  };
}

/** The groups in the order of the report: a reason that is written for a hundred entries is read once. */
export function acceptedGroups({ requirements, diagnoses }: Report): readonly AcceptedGroup[] {
  const accepted = requirements.filter(({ baseline }) => baseline !== null);
  const reasons = new Set(accepted.map(({ baseline }) => baseline ?? ''));
  // Of all groups: a cause may have its findings in another one.
  const own = new Set(acceptedMusts(requirements));
  return [...reasons].map((reason) => {
    const all = accepted.filter(({ baseline }) => baseline === reason);
    const undecided = all.filter(isUndecided);
    const count = undecided.filter((one) => own.has(one)).length;
    return {
      reason,
      failures: all.filter((one) => !isUndecided(one)),
      undecided,
      counts: {
        failures: countKnownFailures({ requirements: all, ...(diagnoses !== undefined && { diagnoses }) }),
        undecided: { count, consequences: undecided.length - count },
      },
    };
  });
}

/** `12 known failures and 4 in consequence, 3 not decided`. */
export function acceptedCount({ failures, undecided, counts }: AcceptedGroup): string {
  return [
    ...(failures.length === 0
      ? []
      : [withConsequences(plural(counts.failures.count, 'known failure'), counts.failures)]),
    ...(undecided.length === 0
      ? []
      : [withConsequences(`${counts.undecided.count} not decided`, counts.undecided)]),
  ].join(', ');
}

/** A number in words, and what only follows from it. */
export function withConsequences(words: string, { consequences }: FailureCount): string {
  return consequences === 0 ? words : `${words} and ${consequences} in consequence`;
}

/** The kind of an accepted requirement, in words. */
export function acceptedAs(one: ReportedRequirement): string {
  return isUndecided(one) ? 'accepted without a decision' : 'known failure';
}

function isUndecided({ verdict }: ReportedRequirement): boolean {
  return verdict === 'inconclusive';
}
