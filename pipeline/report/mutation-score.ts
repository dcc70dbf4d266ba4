import { createRequire } from 'node:module';
import type { MutationReport } from '../../proof/mutation-report.ts';
import type { MutationScore } from '../../reports/report.ts';
import { errorCode } from '../../schemas/error-message.ts';

const require = createRequire(import.meta.url);

/** How the suites of this version were proved, as it is kept beside the recorded run of the reference; null where it is not. */
export function committedMutationScore(): MutationScore | null {
  const report = committedMutationReport();
  return report === null ? null : mutationScoreOf(report);
}

/** The part of a mutation report that the score counts. */
type Scored = Pick<MutationReport, 'mutants' | 'killed' | 'survived' | 'benign' | 'accused' | 'requirements'>;

/**
 * Counts instead of lists, as reports show them: mutants, killed ones, survivors, and equivalent mutants that
 * failed.
 */
export function mutationScoreOf({
  mutants,
  killed,
  survived,
  benign,
  accused,
  requirements,
}: Scored): MutationScore {
  return {
    mutants,
    killed,
    survived: survived.length,
    benign,
    accused: accused.length,
    requirements: Object.keys(requirements).length,
  };
}

/** The proof that is kept of the requirements on a service or on a client; null where it does not exist. */
export function committedMutationReport(side: 'server' | 'client' = 'server'): MutationReport | null {
  const name = side === 'client' ? 'client-proof' : 'proof';
  try {
    return require(`#cassettes/reference/${name}.json`) as MutationReport; // as: `npm run prove` writes it in this shape
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
