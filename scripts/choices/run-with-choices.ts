import { isBroken } from '../../judge/verdict/failure-count.ts';
import { reportOfCassette } from '../../pipeline/testing/report-of-cassette.ts';
import {
  alternativeTaken,
  choiceTable,
  type Selection,
  unusualAlternatives,
} from '../../reference/choices/table.ts';
import type { ReferenceOptions } from '../../reference/service.ts';
import type { Report } from '../../reports/report.ts';
import { type RunOnReference, runOnReference } from '../run-on-reference.ts';

/** All cost classes are allowed, because an alternative can remove the evidence of any scenario. */
const ALL_COSTS = 'images,audio,training,batches,bulk,large';

/** The report of a run against a reference that takes these alternatives. `filter`: flags of `assay run` that select scenarios. */
export function runWithChoices(
  choices: Selection,
  filter: Readonly<Record<string, string>> = {},
  { stateDelay, ...rest }: Pick<RunOnReference, 'prepare'> & Pick<ReferenceOptions, 'stateDelay'> = {},
): Promise<Report> {
  const flags = { claim: 'all', allow: ALL_COSTS, ...filter };
  return runOnReference({ reference: { choices, stateDelay }, flags, ...rest }, reportOfCassette);
}

/**
 * The reasons why a permitted service gets no conforming result, one line each: accusations, undecided MUSTs, and the exit
 * code if nothing else explains it.
 */
export function shortcomings(report: Report): readonly string[] {
  const found = [...accusations(report), ...undecided(report)];
  const { exitCode, reasons } = report.summary;
  return found.length > 0 || exitCode === 0 ? found : [`exit code ${exitCode}: ${reasons.join(' ')}`];
}

/**
 * The MUSTs that stay inconclusive, one line each: scenarios must show them on every permitted service, unless a choice permits
 * their absence.
 */
function undecided({ requirements }: Report): readonly string[] {
  return requirements
    .filter(({ verdict, level }) => verdict === 'inconclusive' && level === 'MUST')
    .map(({ id, reason }) => `inconclusive ${id}: ${reason}`);
}

/** The requirements that fail or warn, one line each: either they or the choices that permit the behaviour are wrong. */
export function accusations({ requirements }: Report): readonly string[] {
  return requirements
    .filter(isBroken)
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
    // A usual alternative may go unseen, because the run without choices shows it.
    const isUnseen = (found.length === 0 && taken === usual) || alternative?.unseen !== undefined;
    if (hidden.has(id) || isUnseen || found.includes(expected)) return [];
    return [`${id}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];
  });
}
