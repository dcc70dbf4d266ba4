// Everything that a baseline accepts, grouped by the reason that it gives.
import { countKnownFailures, type FailureCount } from '../judge/verdict/failure-count.ts';
import { countAcceptedUndecided, type UndecidedCount } from './family-rows.ts';
import { formatNumber, plural, type Report, type ReportedRequirement } from './report.ts';
import { withSharedCause } from './words/shared-cause.ts';

/** Everything that is accepted for one reason: failures, and requirements that could not be decided. */
export interface AcceptedGroup {
  readonly reason: string;
  readonly failures: readonly ReportedRequirement[];
  readonly undecided: readonly ReportedRequirement[];
  /** Ids of causes of requirements that fail for another cause, which is not accepted. */
  readonly causes: readonly string[];
  /** The same in numbers, as the gate counts, each requirement once. */
  readonly counts: {
    readonly failures: FailureCount;
    readonly undecided: UndecidedCount;
  };
}

/** The groups in the order of the report: a reason that is written for a hundred entries is read once. */
export function acceptedGroups({ requirements, diagnoses = [] }: Report): readonly AcceptedGroup[] {
  const accepted = requirements.filter(({ baseline }) => baseline !== null);
  const failing = new Set(requirements.filter(({ baseline }) => baseline === null).map(({ id }) => id));
  const causes = diagnoses
    .flatMap(({ operations }) => operations)
    .filter(({ baseline, requirement }) => baseline !== undefined && failing.has(requirement));
  const reasons = new Set([...accepted, ...causes].map(({ baseline }) => baseline ?? ''));
  return [...reasons].map((reason) => {
    const all = accepted.filter(({ baseline }) => baseline === reason);
    const undecided = all.filter(isUndecided);
    return {
      reason,
      failures: all.filter((one) => !isUndecided(one)),
      undecided,
      causes: causes.filter(({ baseline }) => baseline === reason).map(({ id }) => id),
      counts: {
        // A cause counts in one group, so that the groups add up to the verdict.
        failures: countKnownFailures({ requirements: all, diagnoses, whole: requirements }),
        undecided: countAcceptedUndecided(all, { requirements }),
      },
    };
  });
}

/** `12 known failures and 4 more for shared causes, 3 MUSTs not decided`. */
export function acceptedCount({ failures, undecided, causes, counts }: AcceptedGroup): string {
  return [
    ...(failures.length === 0
      ? []
      : [withSharedCause(plural(counts.failures.count, 'known failure'), counts.failures)]),
    ...(causes.length === 0 ? [] : [`${plural(causes.length, 'known cause')} of what fails for others, too`]),
    ...(undecided.length === 0 ? [] : [undecidedCount(counts.undecided)]),
  ].join(', ');
}

/** The ids of everything in a group, in the order in which reports list them. */
export function acceptedIds({ failures, undecided, causes }: AcceptedGroup): readonly string[] {
  return [...failures.map(({ id }) => id), ...causes, ...undecided.map(({ id }) => id)];
}

/** The kind of an accepted requirement, in words. */
export function acceptedAs(one: ReportedRequirement): string {
  return isUndecided(one) ? 'accepted without a decision' : 'known failure';
}

function isUndecided({ verdict }: ReportedRequirement): boolean {
  return verdict === 'inconclusive';
}

/** Each part with its reason: `4 MUSTs not decided, 41 not decided because of known failures`. They add up to all. */
export function undecidedCount({ musts, shoulds, consequences }: UndecidedCount): string {
  return [
    ...(musts === 0 ? [] : [`${plural(musts, 'MUST')} not decided`]),
    ...(shoulds === 0 ? [] : [`${plural(shoulds, 'SHOULD')} not decided`]),
    ...(consequences === 0 ? [] : [`${formatNumber(consequences)} not decided because of known failures`]),
  ].join(', ');
}
