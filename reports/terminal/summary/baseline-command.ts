// The command that writes a baseline from the recorded traffic: it sends nothing, so that it may be pasted after any run.
import { shellQuote } from '../../failure/curl-command.ts';
import type { FailureContext } from '../../failure/failure.ts';
import type { Report } from '../../report.ts';

/** The command that writes the baseline again from the recorded traffic; entries that still hold keep their reasons. */
export function rewriting(
  { side }: Pick<Report, 'side'>,
  {
    cassette,
    baselineFile,
    newBaselineFile,
  }: Pick<FailureContext, 'cassette' | 'baselineFile' | 'newBaselineFile'>,
): string {
  const traffic = `npx assay check ${cassette ?? 'CASSETTE'}${side === 'client' ? ' --side client' : ''}`;
  const reason = '--baseline-reason "WHY"';
  if (newBaselineFile != null) return `${traffic} --baseline-write ${shellQuote(newBaselineFile)} ${reason}`;
  const file = baselineFile == null ? 'FILE' : shellQuote(baselineFile);
  return `${traffic} --baseline ${file} --baseline-write ${file} ${reason}`;
}
