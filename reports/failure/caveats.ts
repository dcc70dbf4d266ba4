// Limits of a report, shown first: they can make a pass meaningless.

import { countKnownFailures } from '../../judge/verdict/failure-count.ts';
import { countAcceptedUndecided, unclaimedFamilies } from '../family-rows.ts';
import { countVerdicts, plural, type Report, requirementsInScope } from '../report.ts';
import { undecided } from '../undecided.ts';
import { blockerWords } from '../words/blocker.ts';
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

/** Requirements without a decision that no baseline accepts; those that keep the gate from a verdict by name. */
function withoutDecision(report: Report): string[] {
  const { open, others } = undecided(report);
  const rest = others.filter(({ baseline }) => baseline === null).length;
  const ids = open.map(({ id }) => id);
  return [
    ...(open.length === 0
      ? []
      : [`${plural(open.length, 'MUST')} could not be decided: ${shortList(ids, NAMED)}.`]),
    ...(rest === 0
      ? []
      : [`${plural(rest, open.length === 0 ? 'requirement' : 'more requirement')} could not be decided.`]),
  ];
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
  const { count, consequences } = countKnownFailures(report);
  const further = consequences === 0 ? '' : `, and ${consequences} in consequence,`;
  const open = countAcceptedUndecided(report.requirements, report);
  const more =
    open.consequences === 0 ? '' : `, and ${open.consequences} more that do not change the verdict`;
  const { excused, name } = report.dialect;
  return [
    ...(count + consequences > 0
      ? [`${plural(count, 'known failure')}${further} excused by the baseline.`]
      : []),
    ...(open.count + open.consequences > 0
      ? [`${plural(open.count, 'MUST')} accepted by the baseline without a decision${more}.`]
      : []),
    ...(excused.length > 0 ? [`${plural(excused.length, 'requirement')} excused by dialect ${name}.`] : []),
  ];
}
