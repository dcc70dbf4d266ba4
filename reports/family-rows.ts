// The verdicts of a report by family, as tables show them.
import { countFailures, countKnownFailures, type FailureCount } from '../judge/verdict/failure-count.ts';
import { acceptedMusts } from '../judge/verdict/gate.ts';
import {
  countOperations,
  countVerdicts,
  type Report,
  type ReportedRequirement,
  requirementsInScope,
  type VerdictCounts,
} from './report.ts';

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
