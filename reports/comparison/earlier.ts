// Upgrades reports of earlier versions, so that all formats read one shape.
import type { Cause } from '../../judge/verdict/cause.ts';
import type { Report, ReportedRequirement } from '../report.ts';

/** A report on disk: versions up to 0.1 lack some fields. */
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
 * Up to version 0.1 a cause was a sentence that began with its kind: `not-allowed: --allow images`. Returns
 * null for the other kinds, which nothing reads.
 */
function earlierCause(reason: string | null): Cause | null {
  const kind = SKIPS.find((one) => reason === one || reason?.startsWith(`${one}: `));
  return kind === undefined ? null : { kind, detail: reason?.slice(kind.length + 2) ?? '' };
}
