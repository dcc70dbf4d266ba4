import { isBroken } from '../../judge/verdict/failure-count.ts';
import {
  type Selection,
  selectedAlternative,
  unusualAlternatives,
} from '../../reference/choices/selection.ts';
import { choiceTable } from '../../reference/choices/table.ts';
import type { Report } from '../../reports/report.ts';

/**
 * Lists why a permitted service does not get a conforming result, one line each: accusations, undecided MUSTs, and the
 * exit code if nothing else explains it.
 */
export function shortcomings(report: Report): readonly string[] {
  const lines = [...accusations(report), ...undecidedMusts(report)];
  const { exitCode, reasons } = report.summary;
  return lines.length > 0 || exitCode === 0 ? lines : [`exit code ${exitCode}: ${reasons.join(' ')}`];
}

/**
 * Lists the MUSTs that stay inconclusive, one line each: scenarios must show them on every permitted service, unless a
 * choice permits their absence.
 */
function undecidedMusts({ requirements }: Report): readonly string[] {
  return requirements
    .filter(({ verdict, level }) => verdict === 'inconclusive' && level === 'MUST')
    .map(({ id, reason }) => `inconclusive ${id}: ${reason}`);
}

/**
 * Lists the requirements that fail or warn, one line each. The service does only what the specification permits, so
 * either the requirement is wrong or the choice that permits the behaviour.
 */
export function accusations({ requirements }: Report): readonly string[] {
  return requirements
    .filter(isBroken)
    .map(({ id, verdict, findings }) => `${verdict} ${id}: ${JSON.stringify(findings[0] ?? null)}`);
}

/**
 * Lists the choices for which the report lacks the alternative that the service takes, one line each, except those that
 * another alternative hides and those that a run need not show.
 */
export function misreportedChoices({ choices }: Report, selection: Selection): readonly string[] {
  const hidden = new Set(unusualAlternatives(selection).flatMap(({ hides = [] }) => hides));
  const takenById = new Map(choices.map(({ id, taken }) => [id, taken]));
  return Object.entries(choiceTable).flatMap(([id, { usual, others }]) => {
    const selected = selectedAlternative(selection, id);
    const alternative = others[selected];
    const actual = takenById.get(id) ?? [];
    const expected = alternative?.reported ?? selected;
    // A run need not show a usual alternative, because the run without choices shows it.
    const isUnseen = (actual.length === 0 && selected === usual) || alternative?.unseen !== undefined;
    if (hidden.has(id) || isUnseen || actual.includes(expected)) return [];
    return [`${id}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
  });
}
