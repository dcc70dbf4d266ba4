// A baseline lists accepted failures, and MUSTs that may stay inconclusive, each with a reason, so that CI fails
// only on new ones. An accepted MUST stays inconclusive in every report.
import type { Json } from '../../exchange/http/body.ts';
import { parseJsonFile } from '../../exchange/http/json-text.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { findNearest } from '../../schemas/nearest-names.ts';
import { isKnownCause } from '../acceptance/feature-list.ts';
import { isOnClient } from '../requirements/claimed.ts';
import { causeParts } from '../requirements/refusals.ts';
import { isByChance, isLasting, LASTING_CAUSES } from '../verdict/cause.ts';
import { isBroken, isConsequence } from '../verdict/failure-count.ts';
import type { BaselineProblem, GateResult, Judgement, RequirementVerdict } from '../verdict/verdict.ts';
import { type BaselineEntry, CoveringEntries, holds, REJECTIONS, rejectionsOf } from './covering-entries.ts';

export interface Baseline {
  /** Version of the file format. */
  readonly format: 1;
  /** Accepted failures and undecided MUSTs; their ids are distinct. */
  readonly known: readonly BaselineEntry[];
  /**
   * By id of a choice, the only alternative that the target took when the file was written. Only choices on which most services
   * agree, because clients rely on them. Default: none.
   */
  readonly choices?: Readonly<Record<string, string>>;
}

export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** Placeholder for the reason of a new entry; `readBaseline` rejects it. */
export const MISSING_REASON = 'FILL IN: why is this accepted?';

/** Reads a baseline file. `open`: reasons may still have to be filled in. Throws BaselineError. */
export function readBaseline(text: string, name: string, reasons: 'given' | 'open' = 'given'): Baseline {
  const value = parseJsonFile(text, name, BaselineError);
  if (!isJsonObject(value) || value['format'] !== 1 || !Array.isArray(value['known'])) {
    throw new BaselineError(`${name} is not a baseline; the expected form is {"format": 1, "known": [...]}.`);
  }
  const odd = Object.keys(value).find((key) => !MEMBERS.includes(key));
  if (odd !== undefined)
    throw new BaselineError(`${name} has ${JSON.stringify(odd)}; it takes ${MEMBERS.join(', ')}.`);
  const known = value['known'].map((entry, index) =>
    readEntry(entry, `${name}, entry ${index + 1}`, reasons),
  );
  const twice = known.find(({ id }, index) => known.findIndex((other) => other.id === id) < index);
  if (twice !== undefined)
    throw new BaselineError(`${name} lists ${twice.id} twice; join its signatures in one entry.`);
  const { choices } = value;
  if (choices === undefined) return { format: 1, known };
  if (!isJsonObject(choices) || !isTexts(Object.values(choices)))
    throw new BaselineError(`${name}: choices must be an object of strings: the alternative of each choice.`);
  // as: see above
  return { format: 1, known, choices: choices as Readonly<Record<string, string>> };
}

const MEMBERS = ['format', 'known', 'choices'];
const FIELDS = ['id', 'signatures', 'undecided', 'intermittent', 'reason', 'link', 'expires'];

function readEntry(value: Json, where: string, reasons: 'given' | 'open'): BaselineEntry {
  if (!isJsonObject(value)) throw new BaselineError(`${where} must be a JSON object.`);
  const odd = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (odd !== undefined)
    throw new BaselineError(`${where} has ${JSON.stringify(odd)}; it takes ${FIELDS.join(', ')}.`);
  const { id, signatures = [], undecided, intermittent, reason, link = null, expires = null } = value;
  const wrong = (field: string, wanted: string) => new BaselineError(`${where}: ${field} must be ${wanted}.`);
  if (typeof id !== 'string' || id === '') throw wrong('id', 'the id of a requirement');
  const kind = LASTING_CAUSES.find((one) => one === undecided);
  if (undecided !== undefined && kind === undefined)
    throw wrong('undecided', `one of ${LASTING_CAUSES.join(', ')}`);
  if (!isTexts(signatures) || (signatures.length === 0) !== (kind !== undefined))
    throw wrong('signatures', 'a list of one signature or more; an entry with undecided has none');
  if (intermittent !== undefined && (intermittent !== true || kind !== undefined))
    throw wrong('intermittent', 'true, or absent; an entry with undecided has none');
  const isOpen = reason === MISSING_REASON && reasons === 'given';
  if (typeof reason !== 'string' || reason.trim() === '' || isOpen) {
    const what = kind === undefined ? `the failure of ${id}` : `${id} without a decision`;
    throw new BaselineError(`${where}: reason is not given: say why ${what} is accepted.`);
  }
  if (link !== null && typeof link !== 'string') throw wrong('link', 'a text or null');
  if (expires !== null && !isDay(expires)) throw wrong('expires', 'a day such as 2027-01-31, or null');
  return {
    id,
    signatures,
    ...(kind !== undefined && { undecided: kind }),
    ...(intermittent === true && { intermittent }),
    reason,
    link,
    expires,
  };
}

export interface BaselineOutcome {
  /** The judgement, with the reason of the accepting entry as `baseline` of each accepted requirement and cause. */
  readonly judgement: Judgement;
  /** Entries that no longer hold. */
  readonly problems: readonly BaselineProblem[];
}

export interface BaselineUse {
  /** Current day as `2027-01-31`; an entry whose `expires` is earlier has expired. */
  readonly today: string;
  /**
   * Whether the traffic is a run of the suite. Other traffic may pass only because it lacks the failing request, so
   * it makes no entry stale.
   */
  readonly isRun: boolean;
  /**
   * Whether options select some scenarios, so that failures of the others do not show. Their entries may still hold, unless a
   * strict gate has the same selection each time. Default false.
   */
  readonly isSelection?: boolean;
  /** Whether other machines run the rest of the scenarios, so that even a strict gate considers no entry stale. Default false. */
  readonly isShard?: boolean;
  /** Whether MUSTs that chance left undecided need an entry too. Default false. */
  readonly isStrict?: boolean;
}

/** Applies a baseline to a judgement. Entries for the side that was not judged, service or client, are ignored. */
export function applyBaseline(judgement: Judgement, baseline: Baseline, use: BaselineUse): BaselineOutcome {
  const { today, isRun, isSelection = false, isShard = false, isStrict = false } = use;
  const entries = new Map(baseline.known.map((entry) => [entry.id, entry]));
  const verdicts = new Map(judgement.requirements.map((one) => [one.id, one]));
  const problems = baseline.known
    .filter(ofJudgedSide(judgement))
    .flatMap((entry) => {
      const rejections = judgement.requirements.filter((one) => rejectionsOf(one) === entry.id);
      return rejections.length > 0
        ? (problemOfRejections(entry, rejections, entries, use) ?? [])
        : (problemOf(entry, verdicts, use) ?? []);
    })
    .filter(({ why }) => isRun || !OF_PASSES.includes(why))
    .map(
      (problem): BaselineProblem =>
        (isShard || (isSelection && !isStrict)) && OF_PASSES.includes(problem.why)
          ? { id: problem.id, why: 'selection-passes' }
          : problem,
    );
  const covering = new CoveringEntries(entries, { today, diagnoses: judgement.diagnoses ?? [] });
  const requirements = judgement.requirements.map((one) => {
    const entry = covering.entryFor(one);
    return entry === null ? one : { ...one, baseline: entry.reason };
  });
  const diagnoses = judgement.diagnoses?.map((one) => ({
    ...one,
    operations: one.operations.map((cause) => {
      const entry = covering.entryForCause(cause.id, verdicts.get(cause.requirement));
      return entry === null ? cause : { ...cause, baseline: entry.reason };
    }),
  }));
  const expired = new Set(problems.flatMap(({ id, why }) => (why === 'expired' ? [id] : [])));
  const accepted = isStrict ? requirements : acceptChance(requirements, expired);
  const choices = judgement.choices.map((one) => {
    const before = baseline.choices?.[one.id];
    return before === undefined || one.taken.every((taken) => taken === before) ? one : { ...one, before };
  });
  return {
    judgement: { ...judgement, requirements: accepted, choices, ...(diagnoses && { diagnoses }) },
    problems: [...problems, ...unknownChoices(judgement, baseline.choices)],
  };
}

/** Problems that break no strict gate. */
const NEVER_FAILING: readonly BaselineProblem['why'][] = ['not-shown', 'decided', 'selection-passes'];
/** Problems of entries whose failure this traffic does not show. */
const OF_PASSES: readonly BaselineProblem['why'][] = ['passes', 'partly-passes', ...NEVER_FAILING];

/**
 * Number of passing pieces of evidence after which a strict gate considers an intermittent failure fixed. A failure
 * that shows in one of three tries of a request stays hidden in ten tries in 2 % of the runs; evidence of other
 * requests may never show it.
 */
const ENOUGH_TRIES = 10;

/** Reason shown for an undecided MUST that is accepted as chance. */
export const CHANCE_REASON = 'chance left it undecided in this run';

/** Maximum share of the judged MUSTs that chance may leave undecided. A larger share points to a fault. */
const CHANCE_SHARE = 0.02;

/** Accepts MUSTs that are undecided by chance, unless there are too many or their entry has expired. */
function acceptChance(
  requirements: readonly RequirementVerdict[],
  expired: ReadonlySet<string>,
): readonly RequirementVerdict[] {
  const isAcceptable = ({ id, level, verdict, cause, baseline }: RequirementVerdict) => {
    const isOpen = level === 'MUST' && verdict === 'inconclusive' && baseline === null;
    return isOpen && cause !== null && isByChance(cause) && !expired.has(id);
  };
  const byChance = requirements.filter(isAcceptable);
  const judged = requirements.filter(
    ({ level, verdict }) => level === 'MUST' && (verdict === 'pass' || verdict === 'fail'),
  );
  if (byChance.length === 0 || byChance.length > Math.floor(judged.length * CHANCE_SHARE))
    return requirements;
  return requirements.map((one) => (isAcceptable(one) ? { ...one, baseline: CHANCE_REASON } : one));
}

function problemOf(
  entry: BaselineEntry,
  verdicts: ReadonlyMap<string, RequirementVerdict>,
  { today, isStrict = false }: BaselineUse,
): BaselineProblem | null {
  const { id, expires, undecided, intermittent } = entry;
  const cause = causeParts(id);
  const one = verdicts.get(cause?.requirement ?? id);
  if (one === undefined || (cause !== null && !isKnownCause(id)))
    return { id, why: 'unknown', ...nearestTo(id, [...verdicts.keys()]) };
  if (expires !== null && expires < today) return { id, why: 'expired', expires };
  if (one.verdict === 'pass' && intermittent === true) return notShown(id, [one], isStrict);
  if (one.verdict === 'pass') return { id, why: undecided === undefined ? 'passes' : 'decided' };
  if (cause !== null) return null;
  if (isBroken(one) && !holds(entry, one, today)) {
    const other = one.findings.find(({ signature }) => !entry.signatures.includes(signature));
    return { id, why: 'other-finding', signature: other?.signature ?? null, at: other?.at ?? '' };
  }
  return null;
}

/** Recorded choices that do not exist: their changes would never be reported. */
function unknownChoices(judgement: Judgement, recorded: Baseline['choices'] = {}): BaselineProblem[] {
  const ids = judgement.choices.map(({ id }) => id);
  return Object.keys(recorded)
    .filter((id) => ofJudgedSide(judgement)({ id }) && !ids.includes(id))
    .map((id) => ({ id, why: 'unknown-choice', ...nearestTo(id, ids) }));
}

function nearestTo(id: string, ids: readonly string[]): { readonly nearest?: readonly string[] } {
  const nearest = findNearest(id, ids);
  return nearest.length === 0 ? {} : { nearest };
}

/** The problem of the entry for all invalid requests that an operation accepts; null for none. */
function problemOfRejections(
  entry: BaselineEntry,
  rejections: readonly RequirementVerdict[],
  entries: ReadonlyMap<string, BaselineEntry>,
  { today, isStrict = false }: BaselineUse,
): BaselineProblem | null {
  const { id, expires, intermittent, signatures } = entry;
  if (expires !== null && expires < today) return { id, why: 'expired', expires };
  const unaccepted = rejections.find((one) => {
    const own = entries.get(one.id);
    return isBroken(one) && ![entry, ...(own === undefined ? [] : [own])].some((by) => holds(by, one, today));
  });
  if (unaccepted !== undefined) {
    const [finding] = unaccepted.findings;
    return { id, why: 'other-finding', signature: finding?.signature ?? null, at: finding?.at ?? '' };
  }
  // The signatures of requirements that were not judged are unknown: any signature may be theirs.
  if (!rejections.every(isJudged)) return null;
  if (!rejections.some(isBroken))
    return intermittent === true ? notShown(id, rejections, isStrict) : { id, why: 'passes' };
  if (intermittent === true) return null;
  const found = new Set(rejections.flatMap(({ findings }) => findings.map(({ signature }) => signature)));
  const kinds = signatures.filter((one) => !found.has(one)).length;
  return kinds > 0 ? { id, why: 'partly-passes', kinds } : null;
}

function isJudged({ verdict }: RequirementVerdict): boolean {
  return ['pass', 'fail', 'warn'].includes(verdict);
}

function triesOf(requirements: readonly RequirementVerdict[]): number {
  return requirements.reduce((sum, { observations }) => sum + observations, 0);
}

/** The problem of an intermittent entry that passes: a strict gate considers it fixed after enough tries. */
function notShown(id: string, passing: readonly RequirementVerdict[], isStrict: boolean): BaselineProblem {
  const tries = triesOf(passing);
  return isStrict && tries >= ENOUGH_TRIES ? { id, why: 'passes' } : { id, why: 'not-shown', tries };
}

/**
 * Fails the gate for entries that no longer hold. An entry whose requirement now passes is only mentioned: evidence may vary
 * from run to run, and the entry hides no failure. A strict gate fails for it too, unless the entry is intermittent and there
 * were few tries.
 */
export function failGateForBaseline(
  gate: GateResult,
  problems: readonly BaselineProblem[],
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): GateResult {
  if (problems.length === 0) return gate;
  const reasonsOf = (some: readonly BaselineProblem[]) =>
    some.map((problem) => ({ kind: 'baseline', problem }) as const);
  const isMentioned = ({ why }: BaselineProblem) =>
    OF_PASSES.includes(why) && (!isStrict || NEVER_FAILING.includes(why));
  const [mentioned, failing] = [
    problems.filter(isMentioned),
    problems.filter((problem) => !isMentioned(problem)),
  ];
  const reasons = [...reasonsOf(failing), ...gate.reasons, ...reasonsOf(mentioned)];
  if (failing.length === 0) return { ...gate, reasons };
  return { verdict: 'does-not-conform', exitCode: 1, reasons };
}

/**
 * Makes a baseline of everything that fails now, of each MUST that a completed run left undecided, and of the choices that
 * the traffic shows. Known entries keep their reason and date; new ones get the given ones. Only a strict baseline
 * drops entries whose failure is gone.
 */
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
  const own = judgement.requirements
    .filter((one) => !isConsequence(one))
    .flatMap((one) => entriesFor(one, judgement, old));
  const ids = new Set(own.flatMap(({ id, undecided }) => (undecided === undefined ? [id] : [])));
  // Consequences are accepted with their causes, unless a cause breaks nothing itself and so has no entry.
  const others = judgement.requirements
    .filter((one) => isConsequence(one) && !one.consequenceOf?.every((id) => ids.has(id)))
    .flatMap((one) => entriesFor(one, judgement, old));
  const isUntouched = untouchedBy(judgement, isRun ? ['pass', 'fail', 'warn', 'excused'] : ['fail', 'warn']);
  // A failure that chance hid this time may return.
  const mayReturn = ({ id, intermittent }: BaselineEntry) => {
    const own = judgement.requirements.filter((one) => one.id === id || rejectionsOf(one) === id);
    return intermittent === true && triesOf(own) < ENOUGH_TRIES;
  };
  const stays = (entry: BaselineEntry) => !isStrict || isUntouched(entry) || mayReturn(entry);
  // Entries that this judgement does not cover, such as those that a filter left out, stay accepted.
  const earlier = [...old.values()].filter((entry) => entry.id.endsWith(REJECTIONS) && stays(entry));
  const known = distinct([...own, ...others, ...earlier.filter(({ id }) => ids.has(id))]).map((one) => {
    const known = old.get(one.id);
    const { link = null, expires = until, intermittent = one.intermittent } = known ?? {};
    const isMarked = intermittent === true && one.undecided === undefined;
    const reason = known === undefined || known.reason === MISSING_REASON ? defaultReason : known.reason;
    // Because of filters or chance, a run may show only some of the ways in which a requirement fails.
    const earlierWays = isStrict || one.undecided !== undefined ? [] : (known?.signatures ?? []);
    const signatures = [...new Set([...one.signatures, ...earlierWays])].toSorted();
    return { ...one, signatures, ...(isMarked && { intermittent }), reason, link, expires };
  });
  const knownIds = new Set(known.map(({ id }) => id));
  const unlisted = [...old.values()].filter((entry) => !knownIds.has(entry.id) && stays(entry));
  const several = new Set(judgement.choices.flatMap(({ id, taken }) => (taken.length > 1 ? [id] : [])));
  const unknown = new Set(isStrict ? unknownChoices(judgement, before?.choices).map(({ id }) => id) : []);
  const recorded = Object.entries(before?.choices ?? {}).filter(
    ([id]) => !several.has(id) && !unknown.has(id),
  );
  const choices = { ...Object.fromEntries(recorded), ...usualChoices(judgement) };
  return {
    format: 1,
    known: [...known, ...unlisted],
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

type Listed = readonly Pick<BaselineEntry, 'id' | 'signatures' | 'undecided' | 'intermittent'>[];

function distinct(entries: Listed): Listed {
  const byId = new Map<string, Listed[number]>();
  for (const one of entries) {
    const known = byId.get(one.id);
    if (known !== undefined && one.id.endsWith(REJECTIONS)) {
      const signatures = [...new Set([...known.signatures, ...one.signatures])].toSorted();
      byId.set(one.id, { id: one.id, signatures });
    } else if ((known?.signatures.length ?? 0) === 0) byId.set(one.id, one);
  }
  return [...byId.values()];
}

/** A failure that has its own entry, from a handwritten baseline or an earlier version, keeps it. */
function entriesFor(
  one: RequirementVerdict,
  { stopReason }: Judgement,
  old: ReadonlyMap<string, BaselineEntry>,
): Listed {
  if (!isBroken(one)) return stopReason === 'completed' ? withoutDecision(one) : [];
  const rejections = old.has(one.id) ? null : rejectionsOf(one);
  return rejections === null
    ? knownWays(one)
    : knownWays(one).map(({ signatures }) => ({ id: rejections, signatures }));
}

function knownWays({ id, findings, byChance }: RequirementVerdict): Listed {
  const ids = [...new Set(findings.map(({ causeId = id }) => causeId))].toSorted();
  return ids.map((one) => {
    const own = findings.filter(({ causeId = id }) => causeId === one);
    const signatures = [...new Set(own.map(({ signature }) => signature))].toSorted();
    return { id: one, signatures, ...(byChance && { intermittent: byChance }) };
  });
}

function withoutDecision({ id, level, verdict, cause }: RequirementVerdict): Listed {
  if (verdict !== 'inconclusive' || level !== 'MUST' || cause === null || !isLasting(cause)) return [];
  const ids = cause.kind === 'breakdown' ? cause.faults.map((one) => one.id) : [id];
  return ids.map((listedId) => ({ id: listedId, signatures: [], undecided: cause.kind }));
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns a filter for entries of the side that was judged, service or client. */
export function ofJudgedSide({
  requirements,
}: Pick<Judgement, 'requirements'>): (entry: { readonly id: string }) => boolean {
  const sides = new Set(requirements.map(({ id }) => isOnClient(id)));
  return ({ id }) => sides.has(isOnClient(id));
}

function untouchedBy(
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
