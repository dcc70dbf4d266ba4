/** One place where a check is violated. */
export interface SourceProblem {
  /** Path from the root of the repository, with `/`; a folder where the check is about folders. */
  readonly file: string;
  /** From 1; 1 where the whole file or folder is meant. */
  readonly line: number;
  /** The rule that is broken, with the figures. */
  readonly problem: string;
  /** How to correct it, as a sentence. */
  readonly advice: string;
}

/** The findings of one check. */
export interface CheckResult {
  readonly violations: readonly SourceProblem[];
  /** The size of what was read, where the goal is a share of it; else absent. */
  readonly total?: number;
}
