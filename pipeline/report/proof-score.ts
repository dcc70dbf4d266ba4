import { createRequire } from 'node:module';
import type { Proof } from '../../judge/proof/proof.ts';
import type { ProofScore } from '../../reports/report.ts';

const require = createRequire(import.meta.url);

/** How the suites of this version were proved, as it is kept beside the recorded run of the reference; null where it is not. */
export function proofScore(): ProofScore | null {
  const proof = keptProof();
  return proof === null ? null : scoreOf(proof);
}

type Scored = Pick<Proof, 'mutants' | 'killed' | 'survived' | 'benign' | 'accused' | 'requirements'>;

export function scoreOf({ mutants, killed, survived, benign, accused, requirements }: Scored): ProofScore {
  return {
    mutants,
    killed,
    survived: survived.length,
    benign,
    accused: accused.length,
    requirements: Object.keys(requirements).length,
  };
}

/** The proof that is kept, `cassettes/reference/proof.json`; null where there is none. */
export function keptProof(): Proof | null {
  try {
    return require('#cassettes/reference/proof.json') as Proof; // as: `npm run prove` writes it in this shape
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
