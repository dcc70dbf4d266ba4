import { createRequire } from 'node:module';
import { countAccusingMutants, type MutationReport } from '../../proof/mutation-report.ts';
import type { MutationScore } from '../../reports/report.ts';
import { errorCode } from '../../schemas/error-message.ts';

const require = createRequire(import.meta.url);

export function committedMutationScore(): MutationScore | null {
  const report = committedMutationReport();
  return report === null ? null : mutationScoreOf(report);
}

export function mutationScoreOf(report: Pick<MutationReport, keyof MutationScore>): MutationScore {
  const { mutants, killed, survived, benign, requirements } = report;
  return {
    mutants,
    killed,
    survived: survived.length,
    benign,
    accused: countAccusingMutants(report),
    requirements: Object.keys(requirements).length,
  };
}

export function committedMutationReport(side: 'server' | 'client' = 'server'): MutationReport | null {
  const name = side === 'client' ? 'client-proof' : 'proof';
  try {
    return require(`#cassettes/reference/${name}.json`) as MutationReport; // as: scripts/prove.ts writes this type
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
