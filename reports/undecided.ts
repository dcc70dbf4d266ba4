// Requirements that could not be decided, those first that keep the gate from a verdict.
import { type BreakdownFacts, type Cause, isLasting } from '../judge/verdict/cause.ts';

import { acceptedMusts, undecidedMusts } from '../judge/verdict/gate.ts';
import { type Report, type ReportedRequirement, requirementsInScope } from './report.ts';

/** The inconclusive requirements of a report by what they mean for its gate. */
export interface Undecided {
  /** MUSTs that nothing accepts. */
  readonly open: readonly ReportedRequirement[];
  /** All others: SHOULDs, what follows from a cause that is reported, what a baseline accepts. */
  readonly others: readonly ReportedRequirement[];
}

/** The inconclusive requirements of a report; each list in the order of the report. */
export function undecided(report: Report): Undecided {
  const all = requirementsInScope(report.requirements).filter(({ verdict }) => verdict === 'inconclusive');
  const open = new Set(undecidedMusts(report.requirements));
  return { open: all.filter((one) => open.has(one)), others: all.filter((one) => !open.has(one)) };
}

/** How many of the others there are, each once. */
export interface OtherUndecided {
  /** MUSTs that the baseline accepts. */
  readonly byBaseline: number;
  /** SHOULDs, which the gate does not count. */
  readonly shoulds: number;
  /** MUSTs that lack their evidence for the cause of a failure: the gate counts the failure. */
  readonly consequences: number;
}

/** Counts the requirements without a decision that are not open. */
export function countOthers(report: Report): OtherUndecided {
  const { others } = undecided(report);
  const accepted = new Set(acceptedMusts(report.requirements));
  const byBaseline = others.filter((one) => accepted.has(one)).length;
  const shoulds = others.filter(({ level }) => level === 'SHOULD').length;
  return { byBaseline, shoulds, consequences: others.length - byBaseline - shoulds };
}

/** Whether there are MUSTs without a decision that only --allow-inconclusive accepts. */
export function isOpenAllowed(report: Report): boolean {
  return undecided(report).open.length > 0 && undecidedForGate(report).length === 0;
}

/** The MUSTs without a decision that fail the gate; none where it lets them pass. */
export function undecidedForGate(report: Report): readonly ReportedRequirement[] {
  const isCounted = report.summary.causes.some(({ kind }) => kind === 'inconclusive');
  return isCounted ? undecided(report).open : [];
}

/** The same where they decide the exit code; none where failures do. */
export function undecidedThatDecide(report: Report): readonly ReportedRequirement[] {
  return report.summary.exitCode === 2 ? undecidedForGate(report) : [];
}

/** Those of which no baseline accepts that they are not decided: another run may decide them. */
export function withPassingCause(
  requirements: readonly ReportedRequirement[],
): readonly ReportedRequirement[] {
  return requirements.filter(({ cause }) => cause !== null && !isLasting(cause));
}

/** The faults that leave requirements without a decision, each once. */
export function breakdownsAmong(requirements: readonly ReportedRequirement[]): readonly BreakdownFacts[] {
  const faults = requirements.flatMap(({ cause }) => (cause?.kind === 'breakdown' ? cause.faults : []));
  return [...new Map(faults.map((one) => [one.id, one])).values()];
}

/** Why a baseline has no entry for it, as a clause; of a lasting cause, where the run ended early. */
export function passingCauseWords(kind: Cause['kind'] | null): string {
  if (kind === 'authentication') return 'the key was refused';
  if (kind === 'capacity') return 'the service had no capacity, or did not answer in time';
  return 'the run ended early';
}
