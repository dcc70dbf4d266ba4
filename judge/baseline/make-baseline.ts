import { causeParts } from '../requirements/refusal-causes.ts';
import { isLasting } from '../verdict/cause.ts';
import { isBroken, isConsequence } from '../verdict/failure-count.ts';
import type { Judgement, RequirementVerdict } from '../verdict/verdict.ts';
import { type BaselineUse, ENOUGH_TRIES, makeJudgedSideFilter, triesOf, unknownChoices } from './baseline.ts';
import { type BaselineEntry, coveringRejectionsId, REJECTIONS_SUFFIX } from './baseline-entry.ts';
import { type Baseline, MISSING_REASON } from './baseline-file.ts';

/**
 * Lists failures and lasting undecided MUSTs; old entries keep their reasons. `isStrict` drops unknown ids, and entries
 * and signatures whose failure is gone, unless the traffic is a shard or no run of the suite: it may never reach them.
 */
export function makeBaseline(
  judgement: Judgement,
  before: Baseline | null,
  defaultReason: string = MISSING_REASON,
  {
    isRun,
    isShard = false,
    isStrict = false,
    expires: defaultExpiry = null,
  }: Omit<BaselineUse, 'today'> & { readonly expires?: string | null } = { isRun: true },
): Baseline {
  const oldEntries = new Map((before?.known ?? []).map((entry) => [entry.id, entry]));
  const failures = judgement.requirements
    .filter((requirement) => !isConsequence(requirement))
    .flatMap((requirement) => entriesFor(requirement, judgement, oldEntries));
  const ids = new Set(failures.flatMap(({ id, undecided }) => (undecided === undefined ? [id] : [])));
  // Consequences are accepted with their causes, unless a cause breaks nothing itself and so is not listed as failing.
  const consequences = judgement.requirements
    .filter((requirement) => isConsequence(requirement))
    .filter(({ consequenceOf }) => !consequenceOf?.every((id) => ids.has(id)))
    .flatMap((requirement) => entriesFor(requirement, judgement, oldEntries));
  const reachesFailures = isRun && !isShard;
  const isUntouched = makeUntouchedFilter(
    judgement,
    reachesFailures ? ['pass', 'fail', 'warn', 'excused'] : [],
  );
  // A failure that chance may have hidden this time may return.
  const mayReturn = ({ id, intermittent }: BaselineEntry) => {
    const requirement = causeParts(id)?.requirement ?? id;
    const concerned = judgement.requirements.filter(
      (row) => row.id === requirement || coveringRejectionsId(row) === id,
    );
    return intermittent === true && triesOf(concerned) < ENOUGH_TRIES;
  };
  // Entries that this judgement does not cover, such as those for filtered requirements, stay accepted.
  const stays = (entry: BaselineEntry) => !isStrict || isUntouched(entry) || mayReturn(entry);
  const rejections = [...oldEntries.values()].filter(
    (entry) => entry.id.endsWith(REJECTIONS_SUFFIX) && ids.has(entry.id) && stays(entry),
  );
  const entries = mergeById([...failures, ...consequences, ...rejections]).map((entry) => {
    const known = oldEntries.get(entry.id);
    const { link = null, expires = defaultExpiry } = known ?? {};
    const reason = reasonOf(known, defaultReason);
    return { ...joinWithOld(entry, known, isStrict && reachesFailures), reason, link, expires };
  });
  const listedIds = new Set(entries.map(({ id }) => id));
  const unlisted = [...oldEntries.values()]
    .filter((entry) => !listedIds.has(entry.id) && stays(entry))
    .map((entry) => ({ ...entry, reason: reasonOf(entry, defaultReason) }));
  const choices = { ...keepChoices(judgement, before?.choices ?? {}, isStrict), ...usualChoices(judgement) };
  return { format: 1, known: [...entries, ...unlisted], ...(Object.keys(choices).length > 0 && { choices }) };
}

function reasonOf(known: BaselineEntry | undefined, defaultReason: string): string {
  return known === undefined || known.reason === MISSING_REASON ? defaultReason : known.reason;
}

function keepChoices(
  judgement: Judgement,
  recorded: NonNullable<Baseline['choices']>,
  isStrict: boolean,
): Readonly<Record<string, string>> {
  const mixed = new Set(judgement.choices.flatMap(({ id, taken }) => (taken.length > 1 ? [id] : [])));
  const unknown = new Set(isStrict ? unknownChoices(judgement, recorded).map(({ id }) => id) : []);
  const kept = Object.entries(recorded).filter(([id]) => !mixed.has(id) && !unknown.has(id));
  return Object.fromEntries(kept);
}

export function usualChoices({ choices }: Pick<Judgement, 'choices'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    choices.flatMap(({ id, taken, usual }) => {
      const [only] = taken;
      return usual === undefined || only === undefined || taken.length > 1 ? [] : [[id, only]];
    }),
  );
}

type DraftEntry = Pick<BaselineEntry, 'id' | 'signatures' | 'undecided' | 'intermittent'>;

function joinWithOld(entry: DraftEntry, known: BaselineEntry | undefined, isReplaced: boolean): DraftEntry {
  const intermittent = known?.intermittent ?? entry.intermittent;
  const isMarked = intermittent === true && entry.undecided === undefined;
  // Because of filters or chance, a run may show only some of the ways in which a requirement fails.
  const earlierSignatures = isReplaced || entry.undecided !== undefined ? [] : (known?.signatures ?? []);
  const signatures = [...new Set([...entry.signatures, ...earlierSignatures])].toSorted();
  return { ...entry, signatures, ...(isMarked && { intermittent }) };
}

function mergeById(entries: readonly DraftEntry[]): readonly DraftEntry[] {
  const byId = new Map<string, DraftEntry>();
  for (const entry of entries) {
    const { id } = entry;
    const known = byId.get(id);
    if (known !== undefined && id.endsWith(REJECTIONS_SUFFIX)) {
      const signatures = [...new Set([...known.signatures, ...entry.signatures])].toSorted();
      byId.set(id, { id, signatures });
    } else if ((known?.signatures.length ?? 0) === 0) byId.set(id, entry);
  }
  return [...byId.values()];
}

/** A rejection keeps its own entry if the old baseline has one. */
function entriesFor(
  requirement: RequirementVerdict,
  { stopReason }: Judgement,
  oldEntries: ReadonlyMap<string, BaselineEntry>,
): readonly DraftEntry[] {
  if (!isBroken(requirement)) return stopReason === 'completed' ? undecidedEntries(requirement) : [];
  const entries = failureEntries(requirement);
  const rejections = oldEntries.has(requirement.id) ? null : coveringRejectionsId(requirement);
  return rejections === null ? entries : entries.map(({ signatures }) => ({ id: rejections, signatures }));
}

function failureEntries({ id, findings, byChance }: RequirementVerdict): readonly DraftEntry[] {
  const ids = [...new Set(findings.map(({ causeId = id }) => causeId))].toSorted();
  return ids.map((listedId) => {
    const listed = findings.filter(({ causeId = id }) => causeId === listedId);
    const signatures = [...new Set(listed.map(({ signature }) => signature))].toSorted();
    return { id: listedId, signatures, ...(byChance && { intermittent: byChance }) };
  });
}

function undecidedEntries({ id, level, verdict, cause }: RequirementVerdict): readonly DraftEntry[] {
  if (verdict !== 'inconclusive' || level !== 'MUST' || cause === null || !isLasting(cause)) return [];
  const ids = cause.kind === 'breakdown' ? cause.faults.map((fault) => fault.id) : [id];
  return ids.map((listedId) => ({ id: listedId, signatures: [], undecided: cause.kind }));
}

function makeUntouchedFilter(
  { requirements }: Judgement,
  conclusive: readonly RequirementVerdict['verdict'][],
): (entry: { readonly id: string }) => boolean {
  const verdicts = new Map(requirements.map(({ id, verdict }) => [id, verdict]));
  const silent = new Set(
    requirements.flatMap((row) =>
      conclusive.includes(row.verdict) ? [] : (coveringRejectionsId(row) ?? []),
    ),
  );
  const isOnJudgedSide = makeJudgedSideFilter({ requirements });
  return ({ id }) => {
    if (!isOnJudgedSide({ id }) || silent.has(id)) return true;
    const verdict = verdicts.get(causeParts(id)?.requirement ?? id);
    return verdict !== undefined && !conclusive.includes(verdict);
  };
}
