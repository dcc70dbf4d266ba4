import { reportOfCassette } from '../../pipeline/testing/report-of-cassette.ts';
import { alternativeTaken, type Selection, unusualAlternatives } from '../../reference/choices/selection.ts';
import { choiceTable } from '../../reference/choices/table.ts';
import type { Report } from '../../reports/report.ts';
import { runOnReference } from '../run-on-reference.ts';

/** The report of a run against a reference that takes these alternatives. `filter`: flags of `assay run` that select scenarios. */
export function runWithChoices(
  choices: Selection,
  filter: Readonly<Record<string, string>> = {},
): Promise<Report> {
  return runOnReference({ reference: { choices }, flags: filter }, reportOfCassette);
}

/** The requirements that fail or warn, one line each: they contradict a choice, or the specification forbids its alternative. */
export function accusations({ requirements }: Report): readonly string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id, verdict, findings }) => `${verdict} ${id}: ${JSON.stringify(findings[0] ?? null)}`);
}

/**
 * Choices for which the report lacks the alternative that the service takes, one line each, except those that another alternative
 * hides and those that a run need not show.
 */
export function misreported({ choices }: Report, selection: Selection): readonly string[] {
  const hidden = new Set(unusualAlternatives(selection).flatMap(({ hides = [] }) => hides));
  const reported = new Map(choices.map(({ id, taken }) => [id, taken]));
  return Object.entries(choiceTable).flatMap(([id, { usual, others }]) => {
    const taken = alternativeTaken(selection, id);
    const alternative = others[taken];
    const found = reported.get(id) ?? [];
    const expected = alternative?.reported ?? taken;
    // The plain run already shows the usual behaviour.
    const isUnseen = (found.length === 0 && taken === usual) || alternative?.unseen !== undefined;
    if (hidden.has(id) || isUnseen || found.includes(expected)) return [];
    return [`${id}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];
  });
}
