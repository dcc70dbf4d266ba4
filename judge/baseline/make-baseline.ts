import { causeParts } from '../requirements/refusals.ts';
import { isLasting } from '../verdict/cause.ts';
import { isBroken, isConsequence } from '../verdict/failure-count.ts';
import type { Judgement, RequirementVerdict } from '../verdict/verdict.ts';
import { type BaselineUse, ENOUGH_TRIES, ofJudgedSide, triesOf, unknownChoices } from './baseline.ts';
import { type Baseline, MISSING_REASON } from './baseline-file.ts';
import { type BaselineEntry, REJECTIONS, rejectionsOf } from './covering-entries.ts';

/** Makes a baseline of what fails or stays undecided now. Known entries keep their reason; `isStrict` drops those that pass. */
export function makeBaseline(
  judgement: Judgement,
  before: Baseline | null,
  defaultReason: string = MISSING_REASON,
  {
    isRun,
    isStrict = false,
    expires: until = null,
  }: Pick<BaselineUse, 'isRun' | 'isStrict'> & { readonly expires?: string | null } = { isRun: true },
): Baseline {
  const old = new Map((before?.known ?? []).map((entry) => [entry.id, entry]));
  const failures = judgement.requirements
    .filter((one) => !isConsequence(one))
    .flatMap((one) => entriesFor(one, judgement, old));
  const ids = new Set(failures.flatMap(({ id, undecided }) => (undecided === undefined ? [id] : [])));
  // Consequences are accepted with their causes, unless a cause breaks nothing itself and so has no entry.
  const consequences = judgement.requirements
    .filter((one) => isConsequence(one) && !one.consequenceOf?.every((id) => ids.has(id)))
    .flatMap((one) => entriesFor(one, judgement, old));
  const isUntouched = untouchedFilter(
    judgement,
    isRun ? ['pass', 'fail', 'warn', 'excused'] : ['fail', 'warn'],
  );
  // A failure that chance hid this time may return.
  const mayReturn = ({ id, intermittent }: BaselineEntry) => {
    const shown = judgement.requirements.filter((one) => one.id === id || rejectionsOf(one) === id);
    return intermittent === true && triesOf(shown) < ENOUGH_TRIES;
  };
  const stays = (entry: BaselineEntry) => !isStrict || isUntouched(entry) || mayReturn(entry);
  // Entries that this judgement does not cover, such as those that a filter left out, stay accepted.
  const rejections = [...old.values()].filter(
    (entry) => entry.id.endsWith(REJECTIONS) && ids.has(entry.id) && stays(entry),
  );
  const entries = mergeById([...failures, ...consequences, ...rejections]).map((one) => {
    const known = old.get(one.id);
    const { link = null, expires = until, intermittent = one.intermittent } = known ?? {};
    const isMarked = intermittent === true && one.undecided === undefined;
    const reason = known === undefined || known.reason === MISSING_REASON ? defaultReason : known.reason;
    // Because of filters or chance, a run may show only some of the ways in which a requirement fails.
    const earlierSignatures = isStrict || one.undecided !== undefined ? [] : (known?.signatures ?? []);
    const signatures = [...new Set([...one.signatures, ...earlierSignatures])].toSorted();
    return { ...one, signatures, ...(isMarked && { intermittent }), reason, link, expires };
  });
  const listedIds = new Set(entries.map(({ id }) => id));
  const unlisted = [...old.values()].filter((entry) => !listedIds.has(entry.id) && stays(entry));
  const several = new Set(judgement.choices.flatMap(({ id, taken }) => (taken.length > 1 ? [id] : [])));
  const unknown = new Set(isStrict ? unknownChoices(judgement, before?.choices).map(({ id }) => id) : []);
  const recorded = Object.entries(before?.choices ?? {}).filter(
    ([id]) => !several.has(id) && !unknown.has(id),
  );
  const choices = { ...Object.fromEntries(recorded), ...usualChoices(judgement) };
  return {
    format: 1,
    known: [...entries, ...unlisted],
    ...(Object.keys(choices).length > 0 && { choices }),
  };
}

/** The alternative of each choice on which most services agree, if the traffic shows only one. */
export function usualChoices({ choices }: Pick<Judgement, 'choices'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    choices.flatMap(({ id, taken, usual }) => {
      const [only] = taken;
      return usual === undefined || only === undefined || taken.length > 1 ? [] : [[id, only]];
    }),
  );
}

type DraftEntries = readonly Pick<BaselineEntry, 'id' | 'signatures' | 'undecided' | 'intermittent'>[];

function mergeById(entries: DraftEntries): DraftEntries {
  const byId = new Map<string, DraftEntries[number]>();
  for (const one of entries) {
    const known = byId.get(one.id);
    if (known !== undefined && one.id.endsWith(REJECTIONS)) {
      const signatures = [...new Set([...known.signatures, ...one.signatures])].toSorted();
      byId.set(one.id, { id: one.id, signatures });
    } else if ((known?.signatures.length ?? 0) === 0) byId.set(one.id, one);
  }
  return [...byId.values()];
}

/** Entries for a requirement. A failure that has its own entry, from a handwritten baseline or an earlier version, keeps it. */
function entriesFor(
  one: RequirementVerdict,
  { stopReason }: Judgement,
  old: ReadonlyMap<string, BaselineEntry>,
): DraftEntries {
  if (!isBroken(one)) return stopReason === 'completed' ? undecidedEntries(one) : [];
  const rejections = old.has(one.id) ? null : rejectionsOf(one);
  return rejections === null
    ? failureEntries(one)
    : failureEntries(one).map(({ signatures }) => ({ id: rejections, signatures }));
}

function failureEntries({ id, findings, byChance }: RequirementVerdict): DraftEntries {
  const ids = [...new Set(findings.map(({ causeId = id }) => causeId))].toSorted();
  return ids.map((one) => {
    const own = findings.filter(({ causeId = id }) => causeId === one);
    const signatures = [...new Set(own.map(({ signature }) => signature))].toSorted();
    return { id: one, signatures, ...(byChance && { intermittent: byChance }) };
  });
}

function undecidedEntries({ id, level, verdict, cause }: RequirementVerdict): DraftEntries {
  if (verdict !== 'inconclusive' || level !== 'MUST' || cause === null || !isLasting(cause)) return [];
  const ids = cause.kind === 'breakdown' ? cause.faults.map((one) => one.id) : [id];
  return ids.map((listedId) => ({ id: listedId, signatures: [], undecided: cause.kind }));
}

function untouchedFilter(
  { requirements }: Judgement,
  telling: readonly RequirementVerdict['verdict'][],
): (entry: { readonly id: string }) => boolean {
  const verdicts = new Map(requirements.map(({ id, verdict }) => [id, verdict]));
  const silent = new Set(
    requirements.flatMap((one) => (telling.includes(one.verdict) ? [] : (rejectionsOf(one) ?? []))),
  );
  const isOfSide = ofJudgedSide({ requirements });
  return ({ id }) => {
    if (!isOfSide({ id }) || silent.has(id)) return true;
    const verdict = verdicts.get(causeParts(id)?.requirement ?? id);
    return verdict !== undefined && !telling.includes(verdict);
  };
}
