// Completes reports of earlier versions, so that all formats read one form.
import type { Cause } from '../../judge/verdict/cause.ts';
import type { Report, ReportedRequirement } from '../report.ts';

/** A report as stored: one of version 0.1 or earlier lacks later additions. */
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

/**
 * An exchange that kept requirements from being judged; earlier versions stored its obstacle as a text only.
 */
type Blocker = Report['blockers'][number];
type StoredBlocker = Omit<Blocker, 'obstacle'> & Partial<Pick<Blocker, 'obstacle'>>;

/** The report with defaults for later additions. */
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

/** Kinds of causes that depend on the options of a run. */
const SKIPS = ['not-claimed', 'filtered', 'not-allowed', 'not-configured'] as const;

/**
 * The cause in the words of an earlier report, which began with its kind: `filtered`, `not-allowed: --allow images`.
 * Null for causes that say nothing about the options of the run: no decision depends on them.
 */
function earlierCause(reason: string | null): Cause | null {
  const kind = SKIPS.find((one) => reason === one || reason?.startsWith(`${one}: `));
  return kind === undefined ? null : { kind, detail: reason?.slice(kind.length + 2) ?? '' };
}
