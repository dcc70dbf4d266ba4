// Groups and counts of a report's requirements, as the gate counts them.
import { type BreakdownFacts, type Cause, isLasting } from '../judge/verdict/cause.ts';
import {
  countFailures,
  countKnownFailures,
  type FailureCount,
  isBroken,
} from '../judge/verdict/failure-count.ts';
import { acceptedMusts, undecidedMusts } from '../judge/verdict/gate.ts';
import { formatNumber, plural } from '../schemas/quantities.ts';
import {
  countOperations,
  countVerdicts,
  type Report,
  type ReportedRequirement,
  requirementsInScope,
  type VerdictCounts,
} from './report.ts';
import { withSharedCause } from './words/gate-reason.ts';
import { present } from './words/text.ts';

export interface FamilyRow {
  readonly family: string;
  readonly counts: VerdictCounts;
  readonly accepted: VerdictCounts;
  readonly failures: {
    readonly must: FailureCount;
    readonly should: FailureCount;
    readonly known: FailureCount;
    /** The part of `known` whose verdict is `fail`. */
    readonly knownMust: FailureCount;
    readonly undecided: UndecidedCount;
  };
  readonly operations: { readonly claimed: number; readonly exercised: number };
}

export interface UndecidedCount {
  /** MUSTs that the baseline accepts. */
  readonly musts: number;
  readonly shoulds: number;
  /** MUSTs without evidence because of a failure, which the gate counts instead of them. */
  readonly consequences: number;
}

/** The judged families in the order of their operations; for a client, also those of which it called an operation. */
export function listFamilies(report: Report): readonly FamilyRow[] {
  const scope = requirementsInScope(report.requirements);
  const used = report.side === 'client' ? report.operations.filter(({ exercised }) => exercised > 0) : [];
  const judged = new Set([...scope, ...used].map(({ family }) => family));
  const ordered = report.operations.map(({ family }) => family).filter((family) => judged.has(family));
  // Each family searches only the few broken or accepted requirements, not thousands.
  const whole = scope.filter((one) => isBroken(one) || one.baseline !== null);
  const acceptedDirectly = new Set(acceptedMusts(report.requirements));
  const { diagnoses = [] } = report;
  return [...new Set([...ordered, ...judged])].map((family) => {
    const requirements = scope.filter((one) => one.family === family);
    const part = { requirements, diagnoses, whole };
    return {
      family,
      counts: countVerdicts(requirements),
      accepted: countVerdicts(requirements.filter(({ baseline }) => baseline !== null)),
      // A cause shared by several families counts in one of them; its consequences are counted separately.
      failures: {
        must: countFailures(part, 'MUST'),
        should: countFailures(part, 'SHOULD'),
        known: countKnownFailures(part),
        knownMust: countKnownFailures({
          ...part,
          requirements: requirements.filter(({ verdict }) => verdict === 'fail'),
        }),
        undecided: countAcceptedUndecided(requirements, report, acceptedDirectly),
      },
      operations: countOperations(report.operations.filter((operation) => operation.family === family)),
    };
  });
}

export function countAcceptedUndecided(
  selected: readonly ReportedRequirement[],
  { requirements }: Pick<Report, 'requirements'>,
  acceptedDirectly: ReadonlySet<ReportedRequirement> = new Set(acceptedMusts(requirements)),
): UndecidedCount {
  const accepted = selected.filter((one) => isUndecided(one) && one.baseline !== null);
  return countUndecided(accepted, acceptedDirectly);
}

/** `acceptedDirectly`: the MUSTs that the baseline accepts directly, not as consequences of other entries. */
function countUndecided(
  selected: readonly ReportedRequirement[],
  acceptedDirectly: ReadonlySet<ReportedRequirement>,
): UndecidedCount {
  const musts = selected.filter((one) => acceptedDirectly.has(one)).length;
  const shoulds = selected.filter(({ level }) => level === 'SHOULD').length;
  return { musts, shoulds, consequences: selected.length - musts - shoulds };
}

export function claimedFamilies({ claims, operations }: Report): readonly string[] {
  const rows = operations.filter(({ id, family }) => claims.includes(family) || claims.includes(id));
  return [...new Set(rows.map(({ family }) => family))];
}

export function unclaimedFamilies({ operations }: Pick<Report, 'operations'>): readonly string[] {
  const claimed = new Set(operations.filter((row) => row.claimed).map(({ family }) => family));
  return [...new Set(operations.map(({ family }) => family))].filter((family) => !claimed.has(family));
}

export interface Undecided {
  /** MUSTs that count against the verdict: neither accepted by the baseline nor consequences of reported causes. */
  readonly open: readonly ReportedRequirement[];
  /** SHOULDs, consequences of reported causes, and what the baseline accepts. */
  readonly others: readonly ReportedRequirement[];
}

export function findUndecided(report: Report): Undecided {
  const all = requirementsInScope(report.requirements).filter(isUndecided);
  const open = new Set(undecidedMusts(report.requirements));
  return { open: all.filter((one) => open.has(one)), others: all.filter((one) => !open.has(one)) };
}

export function countUndecidedOthers(report: Report): UndecidedCount {
  return countUndecided(findUndecided(report).others, new Set(acceptedMusts(report.requirements)));
}

/** Whether undecided MUSTs pass only because of --allow-inconclusive. */
export function isOpenAllowed(report: Report): boolean {
  return findUndecided(report).open.length > 0 && undecidedForGate(report).length === 0;
}

/** The undecided MUSTs that fail the gate; empty if it lets them pass. */
export function undecidedForGate(report: Report): readonly ReportedRequirement[] {
  const isCounted = report.summary.causes.some(({ kind }) => kind === 'inconclusive');
  return isCounted ? findUndecided(report).open : [];
}

/** The undecided MUSTs that decide the exit code; empty if failures decide it. */
export function undecidedThatDecide(report: Report): readonly ReportedRequirement[] {
  return report.summary.exitCode === 2 ? undecidedForGate(report) : [];
}

/** Requirements with a transient cause: no baseline accepts them, and another run may decide them. */
export function withTransientCause(
  requirements: readonly ReportedRequirement[],
): readonly ReportedRequirement[] {
  return requirements.filter(({ cause }) => cause !== null && !isLasting(cause));
}

export function breakdownsAmong(requirements: readonly ReportedRequirement[]): readonly BreakdownFacts[] {
  const faults = requirements.flatMap(({ cause }) => (cause?.kind === 'breakdown' ? cause.faults : []));
  return [...new Map(faults.map((one) => [one.id, one])).values()];
}

/** A clause that says why a baseline has no entry for an undecided MUST. */
export function transientCauseWords(kind: Cause['kind'] | null): string {
  if (kind === 'authentication') return 'the key was refused';
  if (kind === 'capacity') return 'the service had no capacity, or did not answer in time';
  return 'the run ended early';
}

export interface AcceptedGroup {
  readonly reason: string;
  readonly failures: readonly ReportedRequirement[];
  readonly undecided: readonly ReportedRequirement[];
  /** Accepted causes of requirements that also fail for a cause that is not accepted. */
  readonly causes: readonly string[];
  readonly counts: {
    readonly failures: FailureCount;
    readonly undecided: UndecidedCount;
  };
}

/** Groups accepted requirements by reason, which keeps a hundred entries with one reason readable. */
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
        // A cause counts in one group only, so that the groups add up.
        failures: countKnownFailures({ requirements: all, diagnoses, whole: requirements }),
        undecided: countAcceptedUndecided(all, { requirements }),
      },
    };
  });
}

/** `12 known failures and 4 more for shared causes, 3 MUSTs not decided`. */
export function acceptedCountWords({ failures, undecided, causes, counts }: AcceptedGroup): string {
  return present(
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

function isUndecided({ verdict }: ReportedRequirement): boolean {
  return verdict === 'inconclusive';
}

/** `4 MUSTs not decided, 41 not decided because of known failures`. The parts add up to the total. */
export function undecidedCountWords({ musts, shoulds, consequences }: UndecidedCount): string {
  return present(
    musts > 0 && `${plural(musts, 'MUST')} not decided`,
    shoulds > 0 && `${plural(shoulds, 'SHOULD')} not decided`,
    consequences > 0 && `${formatNumber(consequences)} not decided because of known failures`,
  ).join(', ');
}
