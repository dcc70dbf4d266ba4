import type { Cause } from '../verdict/cause.ts';

/** What a proof shows; the form of `cassettes/reference/proof.json`. */
export interface MutationReport {
  readonly mutants: number;
  readonly killed: number;
  /** Mutants that their requirement did not object to, that broke nothing, and kinds of which none is killed. */
  readonly survived: readonly SurvivingMutant[];
  /** Kinds of which no mutant can be killed on this trace, each with its reason. */
  readonly exceptions: readonly UsedException[];
  /** Exceptions that nothing needs. */
  readonly stale: readonly string[];
  /** Benign changes that changed something. */
  readonly benign: number;
  /** Requirements that objected to a change that no fair judge objects to, or were blinded by it. */
  readonly accused: readonly {
    readonly change: string;
    readonly requirement: string;
    readonly why: string;
  }[];
  /** Benign changes that the trace has nothing for. */
  readonly idle: readonly string[];
  /** By requirement how it was proved. Requirements without evidence in the trace are not here. */
  readonly requirements: Readonly<Record<string, RequirementMutants>>;
  /** Requirements that the trace shows nothing of, so nothing is proved of them. */
  readonly unproved: readonly { readonly requirement: string; readonly cause: Cause }[];
}

/** How one requirement was proved. */
export interface RequirementMutants {
  readonly mutants: number;
  readonly killed: number;
  /** By the kind of way in which it was broken: how many mutants of that kind were killed. */
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
  /** The day from which it does not hold any more; null where it can never be tried. */
  readonly expires: string | null;
}

/** The whole proof out of its shares. */
export function joinMutationReports(shares: readonly MutationReport[]): MutationReport {
  const sum = (figure: (report: MutationReport) => number): number =>
    shares.reduce((total, report) => total + figure(report), 0);
  const all = <T>(rows: (report: MutationReport) => readonly T[]): readonly T[] => shares.flatMap(rows);
  return {
    mutants: sum((report) => report.mutants),
    killed: sum((report) => report.killed),
    survived: all((report) => report.survived),
    exceptions: all((report) => report.exceptions),
    // One share may not see what another needs it for.
    stale: shares[0]?.stale.filter((one) => shares.every(({ stale }) => stale.includes(one))) ?? [],
    benign: sum((report) => report.benign),
    accused: all((report) => report.accused),
    idle: all((report) => report.idle),
    requirements: Object.assign({}, ...shares.map((report) => report.requirements)),
    unproved: shares[0]?.unproved ?? [],
  };
}

/** Whether nothing sleeps, nobody innocent is accused and every exception is needed. */
export function hasNoSurvivors({ survived, accused, stale }: MutationReport): boolean {
  return survived.length + accused.length + stale.length === 0;
}
