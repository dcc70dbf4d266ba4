// Limits of a report, shown first: they can make a pass meaningless.

import { countKnownFailures } from '../../judge/verdict/failure-count.ts';
import { unclaimedFamilies } from '../family-rows.ts';
import { countVerdicts, formatNumber, plural, type Report, requirementsInScope } from '../report.ts';
import { countOthers, isOpenAllowed, undecided } from '../undecided.ts';
import { blockerWords } from '../words/cause.ts';
import { withSharedCause } from '../words/shared-cause.ts';
import { shortList } from '../words/short-list.ts';

/** Reasons for which a pass may mean little; empty without such reasons. */
export function caveats(report: Report): readonly string[] {
  return [
    ...stopped(report),
    ...withoutDecision(report),
    ...coverage(report),
    ...unjudged(report),
    ...leniency(report),
  ];
}

/** A run that ended early. */
function stopped(report: Report): string[] {
  return report.stopReason === 'completed' ? [] : [`The run ended early: ${report.stopReason}.`];
}

/** Families that are named; more are counted. */
const NAMED = 6;

/** Operations that never succeeded, and families that are not claimed. */
function coverage(report: Report): string[] {
  const claimed = report.operations.filter((operation) => operation.claimed);
  const idle = new Set(claimed.filter(({ exercised }) => exercised === 0).map(({ id }) => id));
  for (const { id, exercised } of claimed) if (exercised > 0) idle.delete(id);
  // Claims are the most common reason for a good score on few requirements, so they are always stated.
  const left = unclaimedFamilies(report);
  const lines: string[] = [];
  if (claimed.length > 0 && report.summary.operations.exercised === 0) {
    lines.push('No operation was ever answered with success: nothing here speaks for the target.');
  } else if (idle.size > 0) {
    lines.push(`${plural(idle.size, 'claimed operation')} never succeeded: ${[...idle].join(', ')}.`);
  }
  const all = new Set(report.operations.map(({ family }) => family)).size;
  const names = left.length > NAMED ? `${left.length} of ${all} families` : left.join(', ');
  if (left.length > 0) lines.push(`Not claimed, so not judged: ${names}.`);
  return lines;
}

/** Requirements without a verdict. */
function unjudged(report: Report): string[] {
  const scope = requirementsInScope(report.requirements);
  const { error } = countVerdicts(scope);
  const lines = withoutEvidence(scope);
  if (error > 0) lines.push(`${plural(error, 'requirement')} met a defect of assay itself.`);
  for (const blocker of report.blockers) lines.push(`${blockerWords(blocker)}.`);
  return lines;
}

/** MUSTs without a decision as one sum, with who accepts how many; those that no baseline accepts by name. Then the rest. */
function withoutDecision(report: Report): string[] {
  const { byBaseline, shoulds, consequences } = countOthers(report);
  const musts = undecided(report).open.length + byBaseline;
  const noun = musts === 0 ? 'MUST' : 'more MUST';
  return [
    ...(musts === 0 ? [] : [`${plural(musts, 'MUST')} could not be decided${whoAccepts(report)}.`]),
    ...(consequences === 0
      ? []
      : [`${plural(consequences, noun)} could not be decided because of failures.`]),
    ...(shoulds === 0
      ? []
      : [`${plural(shoulds, 'SHOULD')} could not be decided, which does not affect the verdict.`]),
  ];
}

/** `: 4 accepted by the baseline, 2 by --allow-inconclusive (IDS)`; the names alone where nothing is accepted. */
function whoAccepts(report: Report): string {
  const { open } = undecided(report);
  const { byBaseline } = countOthers(report);
  const ids = open.map(({ id }) => id);
  const names = shortList(ids, NAMED);
  const isAllowed = isOpenAllowed(report);
  if (open.length === 0) return ', which the baseline accepts';
  if (byBaseline === 0) return `${isAllowed ? ', which --allow-inconclusive accepts' : ''}: ${names}`;
  const rest = isAllowed ? 'by --allow-inconclusive' : 'by nothing';
  return `: ${formatNumber(byBaseline)} accepted by the baseline, ${formatNumber(open.length)} ${rest} (${names})`;
}

/** Why requirements were not judged. Blocked ones are listed by their blocker. */
const UNTESTED = {
  'no-evidence': 'found no evidence to judge',
  'not-allowed': 'cost more than --allow lets a run spend',
  'not-configured': 'need a model or a key that was not given',
  'not-implemented': 'are of operations that the target does not offer',
  'not-feasible': 'can be shown on no target',
} as const;

/** One line for each cause, with its share of all requirements. */
function withoutEvidence(scope: Report['requirements']): string[] {
  const untested = scope.filter(({ verdict }) => verdict === 'untested');
  return Object.entries(UNTESTED).flatMap(([kind, words]) => {
    const count = untested.filter(({ cause }) => cause?.kind === kind).length;
    return count === 0 ? [] : [`${plural(count, 'requirement')} of ${scope.length} ${words}.`];
  });
}

/** Failures that a baseline or a dialect excuses. */
function leniency(report: Report): string[] {
  const known = countKnownFailures(report);
  const { excused, name } = report.dialect;
  return [
    ...(known.count + known.consequences > 0
      ? [`${withSharedCause(plural(known.count, 'known failure'), known)}, accepted by the baseline.`]
      : []),
    ...(excused.length > 0 ? [`${plural(excused.length, 'requirement')} excused by dialect ${name}.`] : []),
  ];
}
