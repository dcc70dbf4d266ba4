// The verdicts of a report by family, as tables show them.

import type { BreakdownFacts, Cause } from '../judge/verdict/cause.ts';
import { countFailures, countKnownFailures, type FailureCount } from '../judge/verdict/failure-count.ts';
import { acceptedMusts, undecidedMusts } from '../judge/verdict/gate.ts';
import { isLasting } from '../judge/verdict/lasting-causes.ts';
import {
  countOperations,
  countVerdicts,
  formatNumber,
  plural,
  type Report,
  type ReportedRequirement,
  requirementsInScope,
  type VerdictCounts,
} from './report.ts';
import { withSharedCause } from './words/gate-reason.ts';

/** Verdicts and operations of one family. */
export interface FamilyRow {
  readonly family: string;
  readonly counts: VerdictCounts;
  /** Those of them that a baseline accepts. */
  readonly accepted: VerdictCounts;
  /** Failures that nothing accepts, known ones of both levels, and what is accepted without a decision, as the gate counts them. */
  readonly failures: {
    readonly must: FailureCount;
    readonly should: FailureCount;
    readonly known: FailureCount;
    /** Of the known ones those of the verdict `fail`. */
    readonly knownMust: FailureCount;
    readonly undecided: UndecidedCount;
  };
  readonly operations: { readonly claimed: number; readonly exercised: number };
}

/** Requirements that a baseline accepts without a decision, each once. */
export interface UndecidedCount {
  /** MUSTs that the gate counts. */
  readonly musts: number;
  /** SHOULDs, which the gate does not count. */
  readonly shoulds: number;
  /** MUSTs that lack their evidence for a cause whose failures are accepted, too: the gate counts the cause. */
  readonly consequences: number;
}

/** The judged families in the order of their operations, each with its counts; of a client also those that it used without a rule to keep. */
export function byFamily(report: Report): readonly FamilyRow[] {
  const claimed = requirementsInScope(report.requirements);
  const used = report.side === 'client' ? report.operations.filter(({ exercised }) => exercised > 0) : [];
  const judged = new Set([...claimed, ...used].map(({ family }) => family));
  const ordered = report.operations.map(({ family }) => family).filter((family) => judged.has(family));
  // Found once for all families: few of thousands of requirements are broken.
  const whole = { broken: claimed.filter(isBroken), own: new Set(acceptedMusts(report.requirements)) };
  const { diagnoses = [] } = report;
  return [...new Set([...ordered, ...judged])].map((family) => {
    const requirements = claimed.filter((one) => one.family === family);
    return {
      family,
      counts: countVerdicts(requirements),
      accepted: countVerdicts(requirements.filter(({ baseline }) => baseline !== null)),
      failures: failuresOf(requirements, diagnoses, whole),
      operations: countOperations(report.operations.filter((operation) => operation.family === family)),
    };
  });
}

/** Requirements of all families. */
interface Whole {
  /** All that are broken, or that a baseline accepts. */
  readonly broken: readonly ReportedRequirement[];
  /** MUSTs that are accepted without a decision, and counted as such. */
  readonly own: ReadonlySet<ReportedRequirement>;
}

function isBroken({ verdict, baseline }: ReportedRequirement): boolean {
  return verdict === 'fail' || verdict === 'warn' || baseline !== null;
}

/** The failures among some requirements of those claimed: a cause counts in one family, and what only follows from it apart. */
function failuresOf(
  some: readonly ReportedRequirement[],
  diagnoses: NonNullable<Report['diagnoses']>,
  { broken, own }: Whole,
): FamilyRow['failures'] {
  const judged = { requirements: some, diagnoses, whole: broken };
  const fails = { ...judged, requirements: some.filter(({ verdict }) => verdict === 'fail') };
  return {
    must: countFailures(judged, 'MUST'),
    should: countFailures(judged, 'SHOULD'),
    known: countKnownFailures(judged),
    knownMust: countKnownFailures(fails),
    undecided: countAccepted(some, own),
  };
}

/** Counts the requirements that a baseline accepts without a decision. */
export function countAcceptedUndecided(
  some: readonly ReportedRequirement[],
  { requirements }: Pick<Report, 'requirements'>,
): UndecidedCount {
  return countAccepted(some, new Set(acceptedMusts(requirements)));
}

function countAccepted(
  some: readonly ReportedRequirement[],
  own: ReadonlySet<ReportedRequirement>,
): UndecidedCount {
  const accepted = some.filter(({ verdict, baseline }) => verdict === 'inconclusive' && baseline !== null);
  const musts = accepted.filter((one) => own.has(one)).length;
  const shoulds = accepted.filter(({ level }) => level === 'SHOULD').length;
  return { musts, shoulds, consequences: accepted.length - musts - shoulds };
}

/** The families of which anything is claimed: as a whole, or one of their operations. */
export function claimedFamilies({ claims, operations }: Report): readonly string[] {
  const rows = operations.filter(({ id, family }) => claims.includes(family) || claims.includes(id));
  return [...new Set(rows.map(({ family }) => family))];
}

/** The families of which nothing is claimed, in the order of their operations. */
export function unclaimedFamilies({ operations }: Pick<Report, 'operations'>): readonly string[] {
  const claimed = new Set(operations.filter((row) => row.claimed).map(({ family }) => family));
  return [...new Set(operations.map(({ family }) => family))].filter((family) => !claimed.has(family));
}

// Requirements that could not be decided, those first that keep the gate from a verdict.

/** The inconclusive requirements of a report by what they mean for its gate. */
export interface Undecided {
  /** MUSTs that nothing accepts. */
  readonly open: readonly ReportedRequirement[];
  /** All others: SHOULDs, what follows from a cause that is reported, what a baseline accepts. */
  readonly others: readonly ReportedRequirement[];
}

/** The inconclusive requirements of a report; each list in the order of the report. */
export function undecided(report: Report): Undecided {
  const all = requirementsInScope(report.requirements).filter(({ verdict }) => verdict === 'inconclusive');
  const open = new Set(undecidedMusts(report.requirements));
  return { open: all.filter((one) => open.has(one)), others: all.filter((one) => !open.has(one)) };
}

/** How many of the others there are, each once. */
export interface OtherUndecided {
  /** MUSTs that the baseline accepts. */
  readonly byBaseline: number;
  /** SHOULDs, which the gate does not count. */
  readonly shoulds: number;
  /** MUSTs that lack their evidence for the cause of a failure: the gate counts the failure. */
  readonly consequences: number;
}

/** Counts the requirements without a decision that are not open. */
export function countOthers(report: Report): OtherUndecided {
  const { others } = undecided(report);
  const accepted = new Set(acceptedMusts(report.requirements));
  const byBaseline = others.filter((one) => accepted.has(one)).length;
  const shoulds = others.filter(({ level }) => level === 'SHOULD').length;
  return { byBaseline, shoulds, consequences: others.length - byBaseline - shoulds };
}

/** Whether there are MUSTs without a decision that only --allow-inconclusive accepts. */
export function isOpenAllowed(report: Report): boolean {
  return undecided(report).open.length > 0 && undecidedForGate(report).length === 0;
}

/** The MUSTs without a decision that fail the gate; none where it lets them pass. */
export function undecidedForGate(report: Report): readonly ReportedRequirement[] {
  const isCounted = report.summary.causes.some(({ kind }) => kind === 'inconclusive');
  return isCounted ? undecided(report).open : [];
}

/** The same where they decide the exit code; none where failures do. */
export function undecidedThatDecide(report: Report): readonly ReportedRequirement[] {
  return report.summary.exitCode === 2 ? undecidedForGate(report) : [];
}

/** Those of which no baseline accepts that they are not decided: another run may decide them. */
export function withPassingCause(
  requirements: readonly ReportedRequirement[],
): readonly ReportedRequirement[] {
  return requirements.filter(({ cause }) => cause !== null && !isLasting(cause));
}

/** The faults that leave requirements without a decision, each once. */
export function breakdownsAmong(requirements: readonly ReportedRequirement[]): readonly BreakdownFacts[] {
  const faults = requirements.flatMap(({ cause }) => (cause?.kind === 'breakdown' ? cause.faults : []));
  return [...new Map(faults.map((one) => [one.id, one])).values()];
}

/** Why a baseline has no entry for it, as a clause; of a lasting cause, where the run ended early. */
export function passingCauseWords(kind: Cause['kind'] | null): string {
  if (kind === 'authentication') return 'the key was refused';
  if (kind === 'capacity') return 'the service had no capacity, or did not answer in time';
  return 'the run ended early';
}

// Everything that a baseline accepts, grouped by the reason that it gives.

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

// Requirements that the options of a run exclude, by the option that does.

/** Families that are named where they are left out; more are counted. */
const NAMED = 2;

/**
 * How many requirements are left out, by which option: `2,933 requirements left out, not claimed: 18 families`,
 * `3,232 requirements left out: 2,933 not claimed (18 families), 299 by --only`. Null for none.
 */
export function leftOutWords(report: Report): string | null {
  const inScope = new Set(requirementsInScope(report.requirements));
  const counts = new Map<string, number>();
  for (const one of report.requirements.filter((other) => !inScope.has(other))) {
    const option = optionOf(one.cause);
    counts.set(option, (counts.get(option) ?? 0) + 1);
  }
  const all = plural(report.requirements.length - inScope.size, 'requirement');
  const [only, ...others] = [...counts];
  if (only === undefined) return null;
  const families = familyWords(report);
  if (others.length === 0) {
    const [option] = only;
    return option === NOT_CLAIMED
      ? `${all} left out, ${option}${families === '' ? '' : `: ${families}`}`
      : `${all} left out ${option}`;
  }
  const parts = [only, ...others].map(([option, count]) => {
    const which = option === NOT_CLAIMED && families !== '' ? ` (${families})` : '';
    return `${formatNumber(count)} ${option}${which}`;
  });
  return `${all} left out: ${parts.join(', ')}`;
}

const NOT_CLAIMED = 'not claimed';

/** The option that leaves a requirement out. Reports of earlier versions do not say which filter it was. */
function optionOf(cause: Cause | null): string {
  if (cause?.kind !== 'filtered') return NOT_CLAIMED;
  return 'by' in cause && cause.by !== null ? `by --${cause.by.option}` : 'by --only or --skip';
}

/** The families of which nothing is claimed. Those of which anything is claimed have requirements that speak of another one, too. */
function familyWords(report: Report): string {
  const families = unclaimedFamilies(report);
  return families.length > NAMED ? plural(families.length, 'family', 'families') : families.join(', ');
}
