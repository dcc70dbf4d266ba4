import { createRequire } from 'node:module';
import type { ProofScore } from '../reports/report.ts';

const require = createRequire(import.meta.url);

/** How the suites of this version were proved, as it is kept beside the recorded run of the reference; null where it is not. */
export function proofScore(): ProofScore | null {
  const score = kept();
  return score === null ? null : scoreOf(score);
}

/** `cassettes/reference/proof.json`, as far as it is read here. */
export interface Kept {
  readonly mutants: number;
  readonly killed: number;
  readonly survived: readonly unknown[];
  readonly benign: number;
  readonly accused: readonly unknown[];
  readonly requirements: Readonly<Record<string, unknown>>;
}

export function scoreOf({ mutants, killed, survived, benign, accused, requirements }: Kept): ProofScore {
  return {
    mutants,
    killed,
    survived: survived.length,
    benign,
    accused: accused.length,
    requirements: Object.keys(requirements).length,
  };
}

function kept(): Kept | null {
  try {
    return require('#cassettes/reference/proof.json') as Kept; // as: `npm run prove` writes it in this shape
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
