// If the page lists no failure, it shows the caveats before the findings, because they can make a pass meaningless.
import { countKnownFailures } from '../../judge/verdict/failure-count.ts';
import { compact, formatNumber, plural, shortList } from '../../schemas/message-text.ts';
import { unclaimedFamilies } from '../families.ts';
import type { Report } from '../report.ts';
import { countVerdicts, requirementsInScope } from '../selection.ts';
import { countUndecidedOthers, findUndecided, isOpenAllowed } from '../undecided.ts';
import { blockerWords, STOP_CLAUSES } from '../words/cause.ts';
import { gateWords, withSharedCause } from '../words/gate-reason.ts';
import { asSentence } from '../words/text.ts';

const MAX_NAMED = 6;
/** Reasons for untested requirements, except blocked scenarios, which are listed by obstacle. */
const UNTESTED = {
  'no-evidence': 'found no evidence to judge',
  'not-allowed': 'cost more than --allow permits',
  'not-configured': 'needed a model or a key that was not given',
  'not-implemented': 'could not be judged: the target does not offer the operation',
  'not-feasible': 'cannot be shown on any target',
  stopped: 'had not been reached when the run ended',
} as const;

export function caveats(report: Report): readonly string[] {
  return [
    ...stopCaveats(report),
    ...undecidedCaveats(report),
    ...coverageCaveats(report),
    ...unjudgedCaveats(report),
    ...leniencyCaveats(report),
  ];
}

function stopCaveats({ stopReason }: Report): string[] {
  return stopReason === 'completed' ? [] : [`The run ended early: ${STOP_CLAUSES[stopReason]}.`];
}

function coverageCaveats(report: Report): string[] {
  const claimed = report.operations.filter((operation) => operation.claimed);
  // An operation with two variants is idle only if neither was exercised.
  const active = new Set(claimed.filter(({ exercised }) => exercised > 0).map(({ id }) => id));
  const idle = new Set(claimed.map(({ id }) => id).filter((id) => !active.has(id)));
  // Unclaimed families are always stated: a narrow claim is the usual reason for a good score on few requirements.
  const unclaimed = unclaimedFamilies(report);
  const total = new Set(report.operations.map(({ family }) => family)).size;
  const names =
    unclaimed.length > MAX_NAMED ? `${unclaimed.length} of ${total} families` : unclaimed.join(', ');
  const isAllIdle = claimed.length > 0 && report.summary.operations.exercised === 0;
  return compact(
    isAllIdle && 'No operation ever succeeded: nothing here shows that the target works.',
    !isAllIdle &&
      idle.size > 0 &&
      `${plural(idle.size, 'claimed operation')} never succeeded: ${[...idle].join(', ')}.`,
    unclaimed.length > 0 && `Not claimed, so not judged: ${names}.`,
  );
}

function unjudgedCaveats(report: Report): string[] {
  const scope = requirementsInScope(report.requirements);
  const { error } = countVerdicts(scope);
  return compact(
    ...untestedCaveats(scope),
    error > 0 && asSentence(gateWords({ kind: 'defects', count: error })),
    ...report.blockers.map((blocker) => asSentence(blockerWords(blocker))),
  );
}

function undecidedCaveats(report: Report): string[] {
  const { musts: byBaseline, shoulds, consequences } = countUndecidedOthers(report);
  const musts = findUndecided(report).open.length + byBaseline;
  const noun = musts === 0 ? 'MUST' : 'more MUST';
  return compact(
    musts > 0 && `${plural(musts, 'MUST')} could not be decided${acceptanceWords(report)}.`,
    consequences > 0 && `${plural(consequences, noun)} could not be decided because of failures.`,
    shoulds > 0 && `${plural(shoulds, 'SHOULD')} could not be decided, which does not affect the verdict.`,
  );
}

function acceptanceWords(report: Report): string {
  const { open } = findUndecided(report);
  const { musts: byBaseline } = countUndecidedOthers(report);
  const ids = open.map(({ id }) => id);
  const names = shortList(ids, MAX_NAMED);
  const isAllowed = isOpenAllowed(report);
  if (open.length === 0) return ', which the baseline accepts';
  if (byBaseline === 0) return `${isAllowed ? ', which --allow-inconclusive accepts' : ''}: ${names}`;
  const openWords = isAllowed ? 'by --allow-inconclusive' : 'not accepted';
  return `: ${formatNumber(byBaseline)} accepted by the baseline, ${formatNumber(open.length)} ${openWords} (${names})`;
}

function untestedCaveats(scope: Report['requirements']): string[] {
  const untested = scope.filter(({ verdict }) => verdict === 'untested');
  return Object.entries(UNTESTED).flatMap(([kind, words]) => {
    const count = untested.filter(({ cause }) => cause?.kind === kind).length;
    return count === 0 ? [] : [`${plural(count, 'requirement')} of ${formatNumber(scope.length)} ${words}.`];
  });
}

function leniencyCaveats(report: Report): string[] {
  const known = countKnownFailures(report);
  const { excused, name } = report.dialect;
  return compact(
    known.count + known.consequences > 0 &&
      `${withSharedCause(plural(known.count, 'known failure'), known)}, accepted by the baseline.`,
    excused.length > 0 && `${plural(excused.length, 'requirement')} excused by dialect ${name}.`,
  );
}
