/** How many violations of a check are allowed. */
export interface Limit {
  /** Where the project is going; a share of `total` where the check counts one. */
  readonly goal: number;
  /** Violations that were there when the check was introduced. Lower it whenever some are gone; never raise it. Absent: the goal holds. */
  readonly ceiling?: number;
}

/** Every limit in one place. A check fails when it finds more than its ceiling, or than its goal where it has no ceiling. */
export const LIMITS = {
  'import-cycles': { goal: 0 },
  'long-functions': { goal: 0 },
  'many-parameters': { goal: 0 },
  'boolean-parameters': { goal: 0 },
  'large-folders': { goal: 0 },
  'sparse-comments': { goal: 0 },
  'folder-readmes': { goal: 0 },
  'duplicate-names': { goal: 0 },
  'repeated-lines': { goal: 0 },
  'public-prose': { goal: 0 },
  'comment-prose': { goal: 0.02 },
  'test-files': { goal: 0 },
  'unused-code': { goal: 0 },
  glossary: { goal: 0 },
} as const satisfies Readonly<Record<string, Limit>>;

/** Names of the checks. */
export type CheckName = keyof typeof LIMITS;

/** The number of violations that a check may have, and whether that is the goal. */
export function allowedBy(
  limit: Limit,
  total: number | undefined,
): { readonly allowed: number; readonly goal: number } {
  // Goals below 1 are shares: the number of sentences grows with the project, and the limit with it.
  const goal = limit.goal < 1 && total !== undefined ? Math.floor(limit.goal * total) : limit.goal;
  return { allowed: Math.max(goal, limit.ceiling ?? 0), goal };
}
