import { groupBy } from '../../schemas/maps.ts';
import type { BaselineProblem, GateReason, GateResult } from '../verdict/gate-result.ts';

/** Problems that do not fail even a strict gate. */
const NEVER_FAILING_PROBLEMS: readonly BaselineProblem['why'][] = [
  'not-shown',
  'decided',
  'selection-passes',
];
/** Problems of entries whose failure, or undecided MUST, this traffic does not show. */
export const PASSING_PROBLEMS: readonly BaselineProblem['why'][] = [
  'passes',
  'partly-passes',
  ...NEVER_FAILING_PROBLEMS,
];

/** A baseline entry whose failure the traffic does not show fails at most a strict gate. */
export function failsGate(reason: GateReason, isStrict: boolean): boolean {
  if (reason.kind === 'known-failures' || reason.kind === 'accepted-undecided') return false;
  if (reason.kind !== 'baseline') return !('tolerated' in reason && reason.tolerated);
  return !(isStrict ? NEVER_FAILING_PROBLEMS : PASSING_PROBLEMS).includes(reason.problem.why);
}

export function failGateForBaseline(
  gate: GateResult,
  problems: readonly BaselineProblem[],
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): GateResult {
  const reasonsOf = (some: readonly BaselineProblem[]) =>
    some.map((problem) => ({ kind: 'baseline', problem }) as const);
  const fails = (problem: BaselineProblem) => failsGate({ kind: 'baseline', problem }, isStrict);
  const mentioned = problems.filter((problem) => !fails(problem));
  const failing = joinExpired(problems.filter(fails));
  const reasons = [...reasonsOf(failing), ...gate.reasons, ...reasonsOf(mentioned)];
  if (failing.length === 0) return { ...gate, reasons };
  return { verdict: 'does-not-conform', exitCode: 1, reasons };
}

/** Joins the entries that expired on the same day: entries that were written together expire together. */
function joinExpired(problems: readonly BaselineProblem[]): readonly BaselineProblem[] {
  const byDay = groupBy(problems, (problem) => (problem.why === 'expired' ? problem.expires : problem));
  return [...byDay.values()].map(([first, ...others]) =>
    others.length === 0 ? first : { ...first, others: others.map(({ id }) => id) },
  );
}
