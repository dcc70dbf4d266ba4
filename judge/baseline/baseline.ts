// A baseline lists accepted failures, and MUSTs that may stay inconclusive, each with a reason, so that CI fails
// only on new failures. Reports still show the verdicts of accepted requirements.
import { findNearest } from '../../schemas/nearest-names.ts';
import { isKnownCause } from '../acceptance/feature-list.ts';
import { causeParts } from '../requirements/refusal-causes.ts';
import { isClientRequirement } from '../requirements/selection.ts';
import { isByChance } from '../verdict/cause.ts';
import { isBroken } from '../verdict/failure-count.ts';
import type { BaselineProblem } from '../verdict/gate-result.ts';
import type { Judgement, RequirementVerdict } from '../verdict/verdict.ts';
import { type BaselineEntry, coveringRejectionsId, covers, rejectionsId } from './baseline-entry.ts';
import type { Baseline } from './baseline-file.ts';
import { PASSING_PROBLEMS } from './baseline-gate.ts';
import { CoveringEntries } from './covering-entries.ts';

/**
 * Number of passing pieces of evidence after which a strict gate considers an intermittent failure fixed. A failure
 * that shows in one of three tries of a request stays hidden in ten tries in 2 % of the runs; evidence of other
 * requests may never show it.
 */
export const ENOUGH_TRIES = 10;

export const CHANCE_REASON = 'chance left it undecided in this run';

/** Maximum share of the judged MUSTs that chance may leave undecided. A larger share points to a fault. */
const CHANCE_SHARE = 0.02;

export interface BaselineOutcome {
  /** The judgement, with `baseline` for each accepted requirement and cause, and `before` for each changed choice. */
  readonly judgement: Judgement;
  /** Entries that are wrong or expired, or whose failure did not show this time, and unknown choices. */
  readonly problems: readonly BaselineProblem[];
}

export interface BaselineUse {
  /** Current day as `2027-01-31`; an entry whose `expires` is earlier has expired. */
  readonly today: string;
  /** Whether the traffic is a run of the suite. Other traffic may pass only because it lacks the request that fails. */
  readonly isRun: boolean;
  /** Whether options select scenarios: unless the gate is strict, entries may hold for the others. Default false. */
  readonly isSelection?: boolean;
  /** Whether other machines run other scenarios, so that no entry is stale, even for a strict gate. Default false. */
  readonly isShard?: boolean;
  /** Whether the gate is strict; MUSTs that chance left undecided then need an entry too. Default false. */
  readonly isStrict?: boolean;
}

/** Ignores entries for the side, service or client, that was not judged. */
export function applyBaseline(judgement: Judgement, baseline: Baseline, use: BaselineUse): BaselineOutcome {
  const { today, isStrict = false } = use;
  const entries = new Map(baseline.known.map((entry) => [entry.id, entry]));
  const verdicts = new Map(judgement.requirements.map((verdict) => [verdict.id, verdict]));
  const problems = findEntryProblems(judgement, entries, verdicts, use);
  const covering = new CoveringEntries(entries, { today, diagnoses: judgement.diagnoses ?? [] });
  const requirements = judgement.requirements.map((verdict) => {
    const entry = covering.entryFor(verdict);
    return entry === null ? verdict : { ...verdict, baseline: entry.reason };
  });
  const diagnoses = judgement.diagnoses?.map((diagnosis) => ({
    ...diagnosis,
    operations: diagnosis.operations.map((cause) => {
      const entry = covering.entryForCause(cause.id, verdicts.get(cause.requirement));
      return entry === null ? cause : { ...cause, baseline: entry.reason };
    }),
  }));
  const expired = new Set(problems.flatMap(({ id, why }) => (why === 'expired' ? [id] : [])));
  const acceptedRequirements = isStrict ? requirements : acceptChance(requirements, expired);
  const choices = markChangedChoices(judgement.choices, baseline.choices);
  return {
    judgement: { ...judgement, requirements: acceptedRequirements, choices, ...(diagnoses && { diagnoses }) },
    problems: [...problems, ...unknownChoices(judgement, baseline.choices)],
  };
}

function findEntryProblems(
  judgement: Judgement,
  entries: ReadonlyMap<string, BaselineEntry>,
  verdicts: ReadonlyMap<string, RequirementVerdict>,
  use: BaselineUse,
): readonly BaselineProblem[] {
  const { isRun, isSelection = false, isShard = false, isStrict = false } = use;
  return [...entries.values()]
    .filter(makeJudgedSideFilter(judgement))
    .flatMap((entry) => {
      const rejections = judgement.requirements.filter((one) => rejectionsId(one) === entry.id);
      return rejections.length > 0
        ? (problemOfRejections(entry, rejections, entries, use) ?? [])
        : (problemOf(entry, verdicts, use) ?? []);
    })
    .filter(({ why }) => isRun || !PASSING_PROBLEMS.includes(why))
    .map(
      (problem): BaselineProblem =>
        (isShard || (isSelection && !isStrict)) && PASSING_PROBLEMS.includes(problem.why)
          ? { id: problem.id, why: 'selection-passes' }
          : problem,
    );
}

function markChangedChoices(
  choices: Judgement['choices'],
  recorded: Baseline['choices'] = {},
): Judgement['choices'] {
  return choices.map((choice) => {
    const before = recorded[choice.id];
    if (before === undefined || choice.taken.every((taken) => taken === before)) return choice;
    return { ...choice, before };
  });
}

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
  if (byChance.length > Math.floor(judged.length * CHANCE_SHARE)) return requirements;
  return requirements.map((verdict) =>
    isAcceptable(verdict) ? { ...verdict, baseline: CHANCE_REASON } : verdict,
  );
}

function problemOf(
  entry: BaselineEntry,
  verdicts: ReadonlyMap<string, RequirementVerdict>,
  { today, isStrict = false }: BaselineUse,
): BaselineProblem | null {
  const { id, expires, undecided, intermittent } = entry;
  const cause = causeParts(id);
  const requirement = verdicts.get(cause?.requirement ?? id);
  if (requirement === undefined || (cause !== null && !isKnownCause(id)))
    return { id, why: 'unknown', ...nearestTo(id, [...verdicts.keys()]) };
  if (expires !== null && expires < today) return { id, why: 'expired', expires };
  if (requirement.verdict === 'pass' && intermittent === true)
    return problemOfIntermittent(id, [requirement], isStrict);
  if (requirement.verdict === 'pass') return { id, why: undecided === undefined ? 'passes' : 'decided' };
  if (cause !== null) return null;
  return isBroken(requirement) && !covers(entry, requirement, today)
    ? otherFinding(entry, requirement)
    : null;
}

function otherFinding({ id, signatures }: BaselineEntry, { findings }: RequirementVerdict): BaselineProblem {
  const other = findings.find(({ signature }) => !signatures.includes(signature));
  return { id, why: 'other-finding', signature: other?.signature ?? null, at: other?.at ?? '' };
}

/** Recorded choices that do not exist: a change of such a choice would never be reported. */
export function unknownChoices(judgement: Judgement, recorded: Baseline['choices'] = {}): BaselineProblem[] {
  const ids = judgement.choices.map(({ id }) => id);
  const isOnJudgedSide = makeJudgedSideFilter(judgement);
  return Object.keys(recorded)
    .filter((id) => isOnJudgedSide({ id }) && !ids.includes(id))
    .map((id) => ({ id, why: 'unknown-choice', ...nearestTo(id, ids) }));
}

function nearestTo(id: string, ids: readonly string[]): { readonly nearest?: readonly string[] } {
  const nearest = findNearest(id, ids);
  return nearest.length === 0 ? {} : { nearest };
}

function problemOfRejections(
  entry: BaselineEntry,
  requirements: readonly RequirementVerdict[],
  entries: ReadonlyMap<string, BaselineEntry>,
  { today, isStrict = false }: BaselineUse,
): BaselineProblem | null {
  const { id, expires, intermittent, signatures } = entry;
  if (expires !== null && expires < today) return { id, why: 'expired', expires };
  const rejections = requirements.filter((one) => coveringRejectionsId(one) !== null);
  const unaccepted = rejections.find((rejection) => {
    const own = entries.get(rejection.id);
    const isCovered = covers(entry, rejection, today) || (own !== undefined && covers(own, rejection, today));
    return isBroken(rejection) && !isCovered;
  });
  if (unaccepted !== undefined) return otherFinding(entry, unaccepted);
  // The signatures of requirements that were not judged are unknown: any signature may be theirs.
  if (rejections.length === 0 || !rejections.every(isJudged)) return null;
  if (!rejections.some(isBroken))
    return intermittent === true ? problemOfIntermittent(id, rejections, isStrict) : { id, why: 'passes' };
  if (intermittent === true) return null;
  const currentSignatures = new Set(
    rejections.flatMap(({ findings }) => findings.map(({ signature }) => signature)),
  );
  const kinds = signatures.filter((signature) => !currentSignatures.has(signature)).length;
  return kinds > 0 ? { id, why: 'partly-passes', kinds } : null;
}

function isJudged({ verdict }: RequirementVerdict): boolean {
  return ['pass', 'fail', 'warn'].includes(verdict);
}

export function triesOf(requirements: readonly RequirementVerdict[]): number {
  return requirements.reduce((sum, { observations }) => sum + observations, 0);
}

function problemOfIntermittent(
  id: string,
  passing: readonly RequirementVerdict[],
  isStrict: boolean,
): BaselineProblem {
  const tries = triesOf(passing);
  return isStrict && tries >= ENOUGH_TRIES ? { id, why: 'passes' } : { id, why: 'not-shown', tries };
}

export function makeJudgedSideFilter({
  requirements,
}: Pick<Judgement, 'requirements'>): (entry: { readonly id: string }) => boolean {
  const sides = new Set(requirements.map(({ id }) => isClientRequirement(id)));
  return ({ id }) => sides.has(isClientRequirement(id));
}
