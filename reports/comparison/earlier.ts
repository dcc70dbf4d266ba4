import type { Cause } from '../../judge/verdict/cause.ts';
import type { Report, ReportedRequirement } from '../report.ts';

/** A report as it lies on the disk: one of version 0.1 or earlier lacks what was added since. */
export type StoredReport = Omit<
  Report,
  'states' | 'proof' | 'hints' | 'remarks' | 'summary' | 'requirements' | 'blockers'
> &
  Partial<Pick<Report, 'states' | 'proof' | 'hints' | 'remarks'>> & {
    readonly summary: Omit<Report['summary'], 'causes'> & Partial<Pick<Report['summary'], 'causes'>>;
    readonly requirements: readonly StoredRequirement[];
    readonly blockers: readonly StoredBlocker[];
  };

type StoredRequirement = Omit<ReportedRequirement, 'cause'> & Partial<Pick<ReportedRequirement, 'cause'>>;

type Blocker = Report['blockers'][number];
type StoredBlocker = Omit<Blocker, 'obstacle'> & Partial<Pick<Blocker, 'obstacle'>>;

/** The report with what was added since it was written. */
export function withAdditions(stored: StoredReport): Report {
  return {
    ...stored,
    states: stored.states ?? [],
    proof: stored.proof ?? null,
    remarks: stored.remarks ?? [],
    hints: stored.hints ?? [],
    summary: { ...stored.summary, causes: stored.summary.causes ?? [] },
    requirements: stored.requirements.map((one) => ({
      ...one,
      cause: one.cause ?? earlierCause(one.reason),
    })),
    blockers: stored.blockers.map((one) => ({
      ...one,
      obstacle: one.obstacle ?? { kind: 'text', message: one.message },
    })),
  };
}

const SKIPS = ['not-claimed', 'filtered', 'not-allowed', 'not-configured'] as const;

/**
 * The cause in the words of an earlier report, which began with its kind: `filtered`, `not-allowed: --allow images`.
 * Null for causes that say nothing about the options of the run: nobody decides anything by them.
 */
function earlierCause(reason: string | null): Cause | null {
  const kind = SKIPS.find((one) => reason === one || reason?.startsWith(`${one}: `));
  return kind === undefined ? null : { kind, detail: reason?.slice(kind.length + 2) ?? '' };
}
