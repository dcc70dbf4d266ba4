import type { Cause } from '../cause.ts';

/** What a proof shows; the form of `cassettes/reference/proof.json`. */
export interface Proof {
  readonly mutants: number;
  readonly killed: number;
  /** Mutants that their requirement did not object to, that broke nothing, and kinds of which none is killed. */
  readonly survived: readonly Survivor[];
  /** Kinds of which no mutant can be killed on this trace, each with its reason. */
  readonly exceptions: readonly Exception[];
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
  readonly requirements: Readonly<Record<string, RequirementProof>>;
  /** Requirements that the trace shows nothing of, so nothing is proved of them. */
  readonly unproved: readonly { readonly requirement: string; readonly cause: Cause }[];
}

/** How one requirement was proved. */
export interface RequirementProof {
  readonly mutants: number;
  readonly killed: number;
  /** By the kind of way in which it was broken: how many mutants of that kind were killed. */
  readonly by: Readonly<Record<string, number>>;
}

export interface Survivor {
  readonly requirement: string;
  readonly mutant: string;
  readonly why: string;
}

export interface Exception {
  readonly requirement: string;
  readonly kind: string;
  readonly reason: string;
  /** The day from which it does not hold any more; null where it can never be tried. */
  readonly expires: string | null;
}

/** The whole proof out of its shares. */
export function joinProofs(shares: readonly Proof[]): Proof {
  const sum = (figure: (proof: Proof) => number): number =>
    shares.reduce((total, proof) => total + figure(proof), 0);
  const all = <T>(rows: (proof: Proof) => readonly T[]): readonly T[] => shares.flatMap(rows);
  return {
    mutants: sum((proof) => proof.mutants),
    killed: sum((proof) => proof.killed),
    survived: all((proof) => proof.survived),
    exceptions: all((proof) => proof.exceptions),
    // One share may not see what another needs it for.
    stale: shares[0]?.stale.filter((one) => shares.every(({ stale }) => stale.includes(one))) ?? [],
    benign: sum((proof) => proof.benign),
    accused: all((proof) => proof.accused),
    idle: all((proof) => proof.idle),
    requirements: Object.assign({}, ...shares.map((proof) => proof.requirements)),
    unproved: shares[0]?.unproved ?? [],
  };
}

/** Whether nothing sleeps, nobody innocent is accused and every exception is needed. */
export function isSound({ survived, accused, stale }: Proof): boolean {
  return survived.length + accused.length + stale.length === 0;
}
