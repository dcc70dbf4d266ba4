import { type BreakdownFacts, type Cause, isLasting } from '../judge/verdict/cause.ts';
import { acceptedMusts, undecidedMusts } from '../judge/verdict/gate.ts';
import { compact, formatNumber, plural } from '../schemas/message-text.ts';
import type { Report, ReportedRequirement } from './report.ts';
import { requirementsInScope } from './selection.ts';

export interface UndecidedCount {
  readonly musts: number;
  readonly shoulds: number;
  /** MUSTs without evidence because of a failure, which the gate counts instead of them. */
  readonly consequences: number;
}

export function countAcceptedUndecided(
  selected: readonly ReportedRequirement[],
  { requirements }: Pick<Report, 'requirements'>,
  acceptedDirectly: ReadonlySet<ReportedRequirement> = new Set(acceptedMusts(requirements)),
): UndecidedCount {
  const accepted = selected.filter((one) => isUndecided(one) && one.baseline !== null);
  return countUndecided(accepted, acceptedDirectly);
}

/** `acceptedDirectly`: the MUSTs that the baseline accepts directly, not as consequences of other entries. */
function countUndecided(
  selected: readonly ReportedRequirement[],
  acceptedDirectly: ReadonlySet<ReportedRequirement>,
): UndecidedCount {
  const musts = selected.filter((one) => acceptedDirectly.has(one)).length;
  const shoulds = selected.filter(({ level }) => level === 'SHOULD').length;
  return { musts, shoulds, consequences: selected.length - musts - shoulds };
}

export interface Undecided {
  /** MUSTs that are neither accepted by the baseline nor consequences of reported causes. */
  readonly open: readonly ReportedRequirement[];
  /** SHOULDs, consequences of reported causes, and what the baseline accepts. */
  readonly others: readonly ReportedRequirement[];
}

export function findUndecided(report: Report): Undecided {
  const rows = requirementsInScope(report.requirements).filter(isUndecided);
  const open = new Set(undecidedMusts(report.requirements));
  return { open: rows.filter((one) => open.has(one)), others: rows.filter((one) => !open.has(one)) };
}

export function countUndecidedOthers(report: Report): UndecidedCount {
  return countUndecided(findUndecided(report).others, new Set(acceptedMusts(report.requirements)));
}

export function isOpenAllowed(report: Report): boolean {
  return findUndecided(report).open.length > 0 && undecidedForGate(report).length === 0;
}

/** The undecided MUSTs that fail the gate; empty if it lets them pass. */
export function undecidedForGate(report: Report): readonly ReportedRequirement[] {
  const isCounted = report.summary.causes.some(({ kind }) => kind === 'inconclusive');
  return isCounted ? findUndecided(report).open : [];
}

export function undecidedThatDecide(report: Report): readonly ReportedRequirement[] {
  return report.summary.exitCode === 2 ? undecidedForGate(report) : [];
}

export function withTransientCause(
  requirements: readonly ReportedRequirement[],
): readonly ReportedRequirement[] {
  return requirements.filter(({ cause }) => cause !== null && !isLasting(cause));
}

export function breakdownsAmong(requirements: readonly ReportedRequirement[]): readonly BreakdownFacts[] {
  const faults = requirements.flatMap(({ cause }) => (cause?.kind === 'breakdown' ? cause.faults : []));
  return [...new Map(faults.map((one) => [one.id, one])).values()];
}

export function transientCauseWords(kind: Cause['kind'] | null): string {
  if (kind === 'authentication') return 'the key was refused';
  if (kind === 'capacity') return 'the service had no capacity, or did not answer in time';
  return 'the run ended early';
}

export function isUndecided({ verdict }: ReportedRequirement): boolean {
  return verdict === 'inconclusive';
}

/** `4 MUSTs not decided, 41 not decided because of known failures`. */
export function undecidedCountWords({ musts, shoulds, consequences }: UndecidedCount): string {
  return compact(
    musts > 0 && `${plural(musts, 'MUST')} not decided`,
    shoulds > 0 && `${plural(shoulds, 'SHOULD')} not decided`,
    consequences > 0 && `${formatNumber(consequences)} not decided because of known failures`,
  ).join(', ');
}
