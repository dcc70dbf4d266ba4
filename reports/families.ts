import {
  countFailures,
  countKnownFailures,
  type FailureCount,
  isBroken,
} from '../judge/verdict/failure-count.ts';
import { acceptedMusts } from '../judge/verdict/gate.ts';
import type { Report, VerdictCounts } from './report.ts';
import { countOperations, countVerdicts, requirementsInScope } from './selection.ts';
import { countAcceptedUndecided, type UndecidedCount } from './undecided.ts';

export interface FamilyRow {
  readonly family: string;
  readonly counts: VerdictCounts;
  readonly accepted: VerdictCounts;
  readonly failures: {
    readonly must: FailureCount;
    readonly should: FailureCount;
    readonly known: FailureCount;
    readonly knownMust: FailureCount;
    readonly undecided: UndecidedCount;
  };
  readonly operations: { readonly claimed: number; readonly exercised: number };
}

/** The judged families in the order of their operations; for a client, also families whose operations it called. */
export function listFamilies(report: Report): readonly FamilyRow[] {
  const scope = requirementsInScope(report.requirements);
  const used = report.side === 'client' ? report.operations.filter(({ exercised }) => exercised > 0) : [];
  const judged = new Set([...scope, ...used].map(({ family }) => family));
  const ordered = report.operations.map(({ family }) => family).filter((family) => judged.has(family));
  // Each family searches only the few broken or accepted requirements, not thousands.
  const counted = scope.filter((one) => isBroken(one) || one.baseline !== null);
  const acceptedDirectly = new Set(acceptedMusts(report.requirements));
  const { diagnoses = [] } = report;
  return [...new Set([...ordered, ...judged])].map((family) => {
    const requirements = scope.filter((one) => one.family === family);
    const part = { requirements, diagnoses, allRequirements: counted };
    return {
      family,
      counts: countVerdicts(requirements),
      accepted: countVerdicts(requirements.filter(({ baseline }) => baseline !== null)),
      // A cause shared by several families counts in one of them.
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

export function claimedFamilies({ claims, operations }: Report): readonly string[] {
  const rows = operations.filter(({ id, family }) => claims.includes(family) || claims.includes(id));
  return [...new Set(rows.map(({ family }) => family))];
}

export function unclaimedFamilies({ operations }: Pick<Report, 'operations'>): readonly string[] {
  const claimed = new Set(operations.filter((row) => row.claimed).map(({ family }) => family));
  return [...new Set(operations.map(({ family }) => family))].filter((family) => !claimed.has(family));
}
