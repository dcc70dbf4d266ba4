import type { Cause } from '../judge/verdict/cause.ts';

/** The result of mutation testing; `cassettes/reference/` holds one for the suite and one for the client rules. */
export interface MutationReport {
  readonly mutants: number;
  readonly killed: number;
  /** Unexcused: undetected mutants and choice examples, mutants that changed nothing, and kinds without any mutant. */
  readonly survived: readonly SurvivingMutant[];
  readonly exceptions: readonly UsedException[];
  /** Unexpired exceptions of proved requirements that excused nothing; empty in a filtered run. */
  readonly stale: readonly string[];
  /** Number of equivalent mutants that changed the trace. */
  readonly benign: number;
  /** Requirements that failed or lost their evidence on an equivalent mutant. */
  readonly accused: readonly {
    readonly change: string;
    readonly requirement: string;
    readonly why: string;
  }[];
  /** Equivalent mutants that changed nothing in the trace. */
  readonly idle: readonly string[];
  /** Mutants by requirement; requirements without any mutant are absent. */
  readonly requirements: Readonly<Record<string, RequirementMutants>>;
  /** Requirements that the trace does not pass, and that were therefore not mutated, with the cause. */
  readonly unproved: readonly { readonly requirement: string; readonly cause: Cause }[];
}

export interface RequirementMutants {
  readonly mutants: number;
  readonly killed: number;
  /** Number of killed mutants by kind. */
  readonly by: Readonly<Record<string, number>>;
}

export interface SurvivingMutant {
  readonly requirement: string;
  readonly mutant: string;
  readonly why: string;
}

export interface UsedException {
  readonly requirement: string;
  readonly kind: string;
  readonly reason: string;
  /** First day on which the exception no longer holds; null for a permanent one. */
  readonly expires: string | null;
}

export function joinMutationReports(shares: readonly MutationReport[]): MutationReport {
  const sum = (figure: (report: MutationReport) => number): number =>
    shares.reduce((total, report) => total + figure(report), 0);
  const all = <T>(rows: (report: MutationReport) => readonly T[]): readonly T[] => shares.flatMap(rows);
  return {
    mutants: sum((report) => report.mutants),
    killed: sum((report) => report.killed),
    survived: all((report) => report.survived),
    exceptions: all((report) => report.exceptions),
    // An exception may be needed in another share.
    stale: shares[0]?.stale.filter((id) => shares.every(({ stale }) => stale.includes(id))) ?? [],
    benign: sum((report) => report.benign),
    accused: all((report) => report.accused),
    idle: all((report) => report.idle),
    requirements: Object.assign({}, ...shares.map((report) => report.requirements)),
    unproved: shares[0]?.unproved ?? [],
  };
}

/** Number of equivalent mutants on which at least one requirement failed or lost its evidence. */
export function countAccusingMutants({ accused }: Pick<MutationReport, 'accused'>): number {
  return new Set(accused.map(({ change }) => change)).size;
}

export function isProofClean({ survived, accused, stale }: MutationReport): boolean {
  return survived.length + accused.length + stale.length === 0;
}
