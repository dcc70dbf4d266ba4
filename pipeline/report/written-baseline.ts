import { coveringRejectionsId, REJECTIONS_SUFFIX } from '../../judge/baseline/baseline-entry.ts';
import { type Baseline, MISSING_REASON } from '../../judge/baseline/baseline-file.ts';
import { causeParts } from '../../judge/requirements/refusal-causes.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import { countKnownFailures, isConsequence } from '../../judge/verdict/failure-count.ts';
import { acceptedMusts } from '../../judge/verdict/gate.ts';
import type { Judgement, RequirementVerdict } from '../../judge/verdict/verdict.ts';

export interface BaselineChanges {
  readonly kept: number;
  readonly added: number;
  /** Ids of entries that now accept other findings, or another reason why a MUST is undecided. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface WrittenBaseline extends EntriesByUse {
  readonly path: string;
  /** False if no requirement passed, failed or warned: an empty list would read as "no known failures". */
  readonly isWritten: boolean;
  readonly entries: number;
  /** Differences from the baseline that was extended; null for a new file, and if none was written. */
  readonly changes: BaselineChanges | null;
  /** Number of accepted failures, as the gate counts them: a cause counts once, but has one entry per operation. */
  readonly failures: number;
  /** Number of further requirements that fail because of these failures; they have no entry of their own. */
  readonly consequences: number;
  readonly undecided: number;
  /** Number of entries whose reason is still the placeholder. */
  readonly unfilled: number;
  /** Undecided MUSTs without an entry because another run may decide them, with the kind of their cause. */
  readonly left: readonly { readonly id: string; readonly kind: Cause['kind'] | null }[];
  /** Ids of expired entries, none of which is kept: what this traffic still shows has a new one. */
  readonly expired: readonly string[];
}

export function describeWritten(
  baseline: Baseline,
  previous: Baseline | null,
  judgement: Judgement,
): Omit<WrittenBaseline, 'path' | 'left' | 'expired'> {
  const { count: failures, consequences } = countKnownFailures(judgement);
  return {
    isWritten: true,
    entries: baseline.known.length,
    changes: previous === null ? null : changesBetween(previous, baseline),
    failures,
    consequences,
    undecided: acceptedMusts(judgement.requirements).length,
    unfilled: baseline.known.filter(({ reason }) => reason === MISSING_REASON).length,
    ...entriesByUse(baseline, judgement),
  };
}

function changesBetween(before: Baseline, after: Baseline): BaselineChanges {
  const facts = ({ signatures, undecided }: Baseline['known'][number]) =>
    [undecided, ...signatures.toSorted()].join(' ');
  const earlierFacts = new Map(before.known.map((entry) => [entry.id, facts(entry)]));
  const ids = new Set(after.known.map(({ id }) => id));
  const stayed = after.known.filter(({ id }) => earlierFacts.has(id));
  const changed = stayed.filter((entry) => earlierFacts.get(entry.id) !== facts(entry));
  return {
    kept: stayed.length - changed.length,
    added: after.known.length - stayed.length,
    changed: changed.map(({ id }) => id),
    removed: before.known.flatMap(({ id }) => (ids.has(id) ? [] : [id])),
  };
}

export const NOT_WRITTEN: Omit<WrittenBaseline, 'path'> = {
  isWritten: false,
  entries: 0,
  changes: null,
  failures: 0,
  consequences: 0,
  undecided: 0,
  unfilled: 0,
  left: [],
  expired: [],
  causes: { entries: 0, requirements: 0 },
  unseen: 0,
};

interface EntriesByUse {
  /** Numbers of entries for a cause or all rejections of an operation, and of requirements they cover: many to many. */
  readonly causes: { readonly entries: number; readonly requirements: number };
  /** Number of entries that accept nothing in this judgement. */
  readonly unseen: number;
}

function entriesByUse({ known }: Baseline, { requirements }: Pick<Judgement, 'requirements'>): EntriesByUse {
  const acceptedRequirements = requirements.filter(({ baseline }) => baseline !== null);
  const acceptingIds = new Set(acceptedRequirements.flatMap(idsFor));
  const usedEntries = known.filter(({ id }) => acceptingIds.has(id));
  const isShared = (id: string) => causeParts(id) !== null || id.endsWith(REJECTIONS_SUFFIX);
  const causes = new Set(usedEntries.flatMap(({ id }) => (isShared(id) ? [id] : [])));
  const covered = acceptedRequirements.filter(
    (requirement) => !isConsequence(requirement) && idsFor(requirement).some((id) => causes.has(id)),
  );
  return {
    causes: { entries: causes.size, requirements: covered.length },
    unseen: known.length - usedEntries.length,
  };
}

function idsFor(requirement: RequirementVerdict): readonly string[] {
  const { id, findings, cause, consequenceOf = [] } = requirement;
  const faults = cause?.kind === 'breakdown' ? cause.faults.map((fault) => fault.id) : [];
  const causeIds = findings.flatMap(({ causeId }) => causeId ?? []);
  return [id, coveringRejectionsId(requirement) ?? [], causeIds, faults, consequenceOf].flat();
}
