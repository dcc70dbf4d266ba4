// The verdicts of a report by family, as tables show them.
import { isConsequence } from '../judge/verdict/failure-count.ts';
import {
  countOperations,
  countVerdicts,
  type Report,
  requirementsInScope,
  type VerdictCounts,
} from './report.ts';

/** Verdicts and operations of one family. */
export interface FamilyRow {
  readonly family: string;
  readonly counts: VerdictCounts;
  /** Those of them that a baseline accepts. */
  readonly accepted: VerdictCounts;
  /** Of those that fail, how many only follow from a cause that is reported. */
  readonly consequences: number;
  readonly operations: { readonly claimed: number; readonly exercised: number };
}

/** The judged families in the order of their operations, each with its counts. */
export function byFamily(report: Report): readonly FamilyRow[] {
  const claimed = requirementsInScope(report.requirements);
  const judged = new Set(claimed.map(({ family }) => family));
  const ordered = report.operations.map(({ family }) => family).filter((family) => judged.has(family));
  return [...new Set([...ordered, ...judged])].map((family) => ({
    family,
    counts: countVerdicts(claimed.filter((one) => one.family === family)),
    accepted: countVerdicts(claimed.filter((one) => one.family === family && one.baseline !== null)),
    consequences: claimed.filter(
      (one) => one.family === family && one.verdict === 'fail' && isConsequence(one),
    ).length,
    operations: countOperations(report.operations.filter((operation) => operation.family === family)),
  }));
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
