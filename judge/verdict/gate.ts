import { matchesAnyGlob, matchesGlob } from '../../exchange/glob.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { JudgedSide, Level } from '../requirements/requirement.ts';
import type { BreakdownFacts } from './cause.ts';
import {
  type CountedVerdicts,
  countFailures,
  countKnownFailures,
  isBroken,
  isConsequence,
  openFailures,
} from './failure-count.ts';
import type { GateReason, GateResult, SharedFault, Tolerable } from './gate-result.ts';
import { breaksDown, type Judgement, type RequirementVerdict } from './verdict.ts';

export const TOLERABLE: readonly Tolerable[] = ['clients', 'lenient-validation'];

export interface GateOptions {
  /** The lowest level whose failures fail the run. */
  readonly failOn: 'must' | 'should' | 'never';
  /** Pass even if some claimed MUSTs are inconclusive. */
  readonly allowInconclusive: boolean;
  /** Failures that are reported but do not fail the run. Default none. */
  readonly tolerate?: readonly Tolerable[];
  /** Who is judged. A client is not at fault for operations that its service lacks. Default `server`. */
  readonly side?: JudgedSide;
  /** `any` for traffic that no run of assay sent: a claimed operation need not be exercised. Default `run`. */
  readonly traffic?: 'run' | 'any';
  /** The globs of --only: a pinned choice is evidence enough if a glob selects it but no requirement. Default none. */
  readonly only?: readonly string[];
}

/**
 * Decides the verdict and the exit code. 0: the target conforms, or `failOn` is `never`; 1: it does not conform; 2:
 * evidence is missing. A failure takes precedence over missing evidence, except with `never`.
 */
export function evaluateGate(judgement: Judgement, options: GateOptions): GateResult {
  const { failOn, side = 'server', tolerate = [] } = options;
  const tolerable = TOLERABLE.flatMap((kind) => {
    const failures = judgement.requirements.filter((one) => tolerableKind(one) === kind);
    const operations = [...new Set(failures.flatMap((one) => one.operations))];
    const ids = kind === 'clients' ? { ids: failures.map(({ id }) => id) } : {};
    const reason = { kind, count: failures.length, operations, ...ids, tolerated: tolerate.includes(kind) };
    return failures.length === 0 ? [] : [reason];
  });
  const broken = [
    ...failureReasons(judgement, failOn),
    ...pinnedChoiceReasons(judgement),
    ...(side === 'client' ? [] : missingOperationReasons(judgement)),
    ...tolerable.filter(({ tolerated }) => !tolerated),
  ];
  const undecided = undecidedReasons(judgement, options);
  // If the target died, other reasons may be consequences of that, so its death comes first.
  const isDeath = (one: GateReason) => one.kind === 'stopped' && one.reason === 'target-died';
  const all = [...broken, ...undecided];
  const reasons = [
    ...all.filter(isDeath),
    ...all.filter((one) => !isDeath(one)),
    ...tolerable.filter(({ tolerated }) => tolerated),
  ];
  if (broken.length > 0 && failOn !== 'never') return { verdict: 'does-not-conform', exitCode: 1, reasons };
  if (undecided.length > 0) {
    return { verdict: broken.length > 0 ? 'does-not-conform' : 'cannot-tell', exitCode: 2, reasons };
  }
  if (broken.length > 0) return { verdict: 'does-not-conform', exitCode: 0, reasons };
  return { verdict: 'conforms', exitCode: 0, reasons: [...acceptedReasons(judgement, options), ...reasons] };
}

function acceptedReasons(judgement: Judgement, { allowInconclusive }: GateOptions): GateReason[] {
  const { requirements } = judgement;
  const { count, consequences } = countKnownFailures(judgement);
  const byBaseline = acceptedMusts(requirements).length;
  const undecided = byBaseline + (allowInconclusive ? undecidedMusts(requirements).length : 0);
  const reasons: GateReason[] = [];
  if (count + consequences > 0)
    reasons.push({ kind: 'known-failures', count, ...(consequences > 0 && { consequences }) });
  if (undecided > 0) reasons.push({ kind: 'accepted-undecided', count: undecided, byBaseline });
  return reasons;
}

function failureReasons(judgement: Judgement, failOn: GateOptions['failOn']): GateReason[] {
  const { requirements } = judgement;
  const others = {
    ...judgement,
    requirements: requirements.filter((one) => tolerableKind(one) === null),
    allRequirements: requirements,
  };
  return [...brokenReasons(others, 'MUST'), ...(failOn === 'should' ? brokenReasons(others, 'SHOULD') : [])];
}

/** Null if the requirement does not fail, a baseline accepts the failure, or no option tolerates it. */
export function tolerableKind(one: RequirementVerdict): Tolerable | null {
  const { kind, basis, verdict, baseline } = one;
  if (verdict !== 'fail' || baseline !== null) return null;
  if (kind === 'rejected' && !breaksDown(one)) return 'lenient-validation';
  return basis === 'clients' ? 'clients' : null;
}

function brokenReasons(judgement: CountedVerdicts, level: Level): GateReason[] {
  const { count, consequences } = countFailures(judgement, level);
  if (count + consequences === 0) return [];
  const shared = sharedFaults(openFailures(judgement, level));
  return [{ kind: 'broken', level, count, ...(consequences === 0 ? {} : { consequences }), ...shared }];
}

function pinnedChoiceReasons({ choices }: Judgement): GateReason[] {
  return choices.flatMap(({ id, taken, pinned }): GateReason[] =>
    pinned === undefined ? [] : [{ kind: 'pinned-choice', id, pinned, taken }],
  );
}

function missingOperationReasons({ operations }: Judgement): GateReason[] {
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  return absent.length === 0 ? [] : [{ kind: 'not-implemented', operations: distinctIds(absent) }];
}

function undecidedReasons(
  judgement: Judgement,
  { allowInconclusive, traffic = 'run', side, only = [] }: GateOptions,
): GateReason[] {
  const { requirements, stopReason: reason, stop = null } = judgement;
  const errors = requirements.filter(({ verdict }) => verdict === 'error').length;
  const musts = undecidedMusts(requirements);
  const open = allowInconclusive ? [] : musts;
  const idle =
    traffic === 'any' || side === 'client' || isUnreached(judgement)
      ? []
      : unexercisedOperations(judgement, musts);
  const reasons: GateReason[] = [];
  if (reason !== 'completed') reasons.push({ kind: 'stopped', reason, stop });
  if (errors > 0) reasons.push({ kind: 'defects', count: errors });
  // An error response may show a choice although nothing was judged, so only globs that select no requirement count.
  const selectsNoRequirement = (glob: string) => !requirements.some(({ id }) => matchesGlob(glob, id));
  const choiceGlobs = only.filter(selectsNoRequirement);
  const isPinJudged = judgement.choices.some(
    ({ id, pinned, kept }) => pinned !== undefined || (kept !== undefined && matchesAnyGlob(choiceGlobs, id)),
  );
  if (!isPinJudged && !requirements.some((one) => one.verdict === 'pass' || isBroken(one)))
    reasons.push({ kind: 'nothing-judged' });
  if (idle.length > 0) reasons.push({ kind: 'not-exercised', operations: distinctIds(idle) });
  if (open.length > 0) reasons.push({ kind: 'inconclusive', count: open.length, ...sharedFaults(open) });
  return reasons;
}

/** Inconclusive MUSTs, except those that a baseline accepts or whose causes are all found in failures. */
export function undecidedMusts<R extends RequirementVerdict>(requirements: readonly R[]): readonly R[] {
  return openMusts(requirements).filter(({ baseline }) => baseline === null);
}

export function acceptedMusts<R extends RequirementVerdict>(requirements: readonly R[]): readonly R[] {
  return openMusts(requirements).filter(({ baseline }) => baseline !== null);
}

function openMusts<R extends RequirementVerdict>(requirements: readonly R[]): readonly R[] {
  const causes = new Set(requirements.flatMap(({ findings }) => findings.map(({ causeId }) => causeId)));
  return requirements.filter(
    (one) =>
      one.verdict === 'inconclusive' &&
      one.level === 'MUST' &&
      !(isConsequence(one) && one.consequenceOf?.every((id) => causes.has(id))),
  );
}

function isUnreached({ stopReason, operations }: Judgement): boolean {
  return stopReason === 'target-unreachable' && operations.every(({ exercised }) => exercised === 0);
}

/** Claimed, offered operations that accepted nothing, unless filtered, or late and not needed by an undecided MUST. */
function unexercisedOperations(
  { operations, requirements }: Judgement,
  musts: readonly RequirementVerdict[],
): Judgement['operations'] {
  const undecided = new Set(musts.flatMap((one) => one.operations));
  const late = new Set(
    requirements
      .filter(({ cause }) => cause?.kind === 'blocked' && cause.obstacle.kind === 'late')
      .flatMap((one) => one.operations),
  );
  const filtered = new Set(
    requirements.filter(({ cause }) => cause?.kind === 'filtered').flatMap((one) => one.operations),
  );
  const used = new Set(operations.filter((row) => row.claimed && row.exercised > 0).map(({ id }) => id));
  return operations.filter(
    ({ id, claimed, notImplemented }) =>
      claimed &&
      !used.has(id) &&
      !notImplemented &&
      !filtered.has(id) &&
      (!late.has(id) || undecided.has(id)),
  );
}

function distinctIds(operations: Judgement['operations']): readonly string[] {
  return [...new Set(operations.map(({ id }) => id))];
}

/** Faults that at least two of these requirements show, the most common first. */
function sharedFaults(requirements: readonly RequirementVerdict[]): {
  readonly faults?: readonly SharedFault[];
} {
  const all = new Map<string, { requirements: number; readonly fault: BreakdownFacts }>();
  for (const { cause, faults = [] } of requirements)
    for (const fault of cause?.kind === 'breakdown' ? cause.faults : faults)
      getOrMake(all, fault.id, () => ({ requirements: 0, fault })).requirements += 1;
  const shared = [...all.values()].filter((one) => one.requirements > 1);
  const faults = shared.toSorted((a, b) => b.requirements - a.requirements);
  return faults.length === 0 ? {} : { faults };
}
