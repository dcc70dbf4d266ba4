import { countKnownFailures, type FailureCount } from '../judge/verdict/failure-count.ts';
import { compact, plural } from '../schemas/message-text.ts';
import type { Report, ReportedRequirement } from './report.ts';
import {
  countAcceptedUndecided,
  isUndecided,
  type UndecidedCount,
  undecidedCountWords,
} from './undecided.ts';
import { withSharedCause } from './words/gate-reason.ts';

export interface AcceptedGroup {
  readonly reason: string;
  readonly failures: readonly ReportedRequirement[];
  readonly undecided: readonly ReportedRequirement[];
  /** Ids of accepted causes of failures that are not accepted, because they have other causes too. */
  readonly causes: readonly string[];
  readonly counts: {
    readonly failures: FailureCount;
    readonly undecided: UndecidedCount;
  };
}

export function acceptedGroups({ requirements, diagnoses = [] }: Report): readonly AcceptedGroup[] {
  const accepted = requirements.filter(({ baseline }) => baseline !== null);
  const unaccepted = new Set(requirements.filter(({ baseline }) => baseline === null).map(({ id }) => id));
  const causes = diagnoses
    .flatMap(({ operations }) => operations)
    .filter(({ baseline, requirement }) => baseline !== undefined && unaccepted.has(requirement));
  const reasons = new Set([...accepted, ...causes].map(({ baseline }) => baseline ?? ''));
  return [...reasons].map((reason) => {
    const members = accepted.filter(({ baseline }) => baseline === reason);
    const undecided = members.filter(isUndecided);
    return {
      reason,
      failures: members.filter((one) => !isUndecided(one)),
      undecided,
      causes: causes.filter(({ baseline }) => baseline === reason).map(({ id }) => id),
      counts: {
        // A cause counts in one group only, so that the groups add up.
        failures: countKnownFailures({ requirements: members, diagnoses, allRequirements: requirements }),
        undecided: countAcceptedUndecided(members, { requirements }),
      },
    };
  });
}

export function acceptedCountWords({ failures, undecided, causes, counts }: AcceptedGroup): string {
  return compact(
    failures.length > 0 && withSharedCause(plural(counts.failures.count, 'known failure'), counts.failures),
    causes.length > 0 && `${plural(causes.length, 'known cause')} of failures that have other causes too`,
    undecided.length > 0 && undecidedCountWords(counts.undecided),
  ).join(', ');
}

export function acceptedIds({ failures, undecided, causes }: AcceptedGroup): readonly string[] {
  return [...failures.map(({ id }) => id), ...causes, ...undecided.map(({ id }) => id)];
}

export function acceptanceLabel(one: ReportedRequirement): string {
  return isUndecided(one) ? 'accepted without a decision' : 'known failure';
}
