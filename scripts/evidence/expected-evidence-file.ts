// Makes the groups of suites/expected-evidence.json out of runs, and holds the file against the suites and against one run.

import { matchesAnyGlob, matchesGlob } from '../../exchange/glob.ts';
import { type ExpectedEvidenceFile, freeEvidenceOf } from '../../judge/missing-evidence/expected-evidence.ts';
import { type Catalogue, requirementsOf } from '../../judge/requirements/catalogue.ts';
import type { ShownByScenario } from './evidence-runs.ts';

/** Scenarios with the requirements that each of them shows. */
type Groups = ExpectedEvidenceFile['groups'];

/** Largest share of the MUSTs whose evidence may be declared to be free. */
const MAX_FREE = 0.02;

/** The MUSTs that each scenario shows in all runs, grouped by scenarios. Free evidence is left out. */
export function expectedOf(catalogue: Catalogue, runs: readonly ShownByScenario[]): Groups {
  // Keyed by the names of the scenarios, one a line.
  const byScenarios = new Map<string, string[]>();
  for (const id of expectable(catalogue)) {
    const scenarios = catalogue.scenarios
      .map(({ name }) => name)
      .filter((name) => runs.every((run) => run.get(name)?.has(id)))
      .toSorted();
    if (scenarios.length === 0) continue;
    const key = scenarios.join('\n');
    byScenarios.set(key, [...(byScenarios.get(key) ?? []), id]);
  }
  return [...byScenarios].map(([key, requirements]) => ({ scenarios: key.split('\n'), requirements }));
}

/** MUSTs that a scenario declares and that are not free, sorted by id. */
function expectable(catalogue: Catalogue): readonly string[] {
  return [...requirementsOf(catalogue).values()]
    .filter(
      ({ id, level }) => level === 'MUST' && freeEvidenceOf(catalogue.freeEvidence ?? [], id) === undefined,
    )
    .map(({ id }) => id);
}

/** Where the file and the suites do not fit, whatever a run shows. */
export function problemsOf(catalogue: Catalogue, { groups }: ExpectedEvidenceFile): readonly string[] {
  const shows = new Map(catalogue.scenarios.map((scenario) => [scenario.name, scenario.shows]));
  const known = requirementsOf(catalogue);
  const strangers = groups.flatMap(({ scenarios, requirements }) => [
    ...scenarios.filter((name) => !shows.has(name)).map((name) => `${name} is not a scenario`),
    ...requirements.filter((id) => !known.has(id)).map((id) => `${id} is not a requirement`),
    ...scenarios.flatMap((name) =>
      requirements
        .filter((id) => !matchesAnyGlob(shows.get(name) ?? ['*'], id))
        .map((id) => `${name} does not declare ${id}`),
    ),
  ]);
  return [...strangers, ...neverExpected(catalogue, groups), ...freeProblems(catalogue)];
}

/** MUSTs that no scenario is expected to show, though nothing declares why. Costly ones are not part of the runs. */
function neverExpected(catalogue: Catalogue, groups: Groups): readonly string[] {
  const grouped = new Set(groups.flatMap(({ requirements }) => requirements));
  const costly = catalogue.scenarios.filter(isLarge);
  return expectable(catalogue)
    .filter((id) => !grouped.has(id) && !costly.some(({ shows }) => matchesAnyGlob(shows, id)))
    .filter((id) => !catalogue.infeasible.some((one) => matchesGlob(one.id, id)))
    .map((id) => `${id} is shown by no scenario in every run, and not declared to be free`);
}

/** Whether a scenario needs `--allow large`. */
function isLarge(scenario: object): boolean {
  return 'cost' in scenario && Array.isArray(scenario.cost) && scenario.cost.includes('large');
}

/** Declarations that name nothing, and too many of them. */
function freeProblems({ freeEvidence = [], ...catalogue }: Catalogue): readonly string[] {
  const musts = [...requirementsOf({ freeEvidence, ...catalogue }).values()].filter(
    ({ level }) => level === 'MUST',
  );
  // A glob that no MUST has any more would hide a later one of that name.
  const idle = freeEvidence.filter(({ free }) => !musts.some(({ id }) => matchesGlob(free, id)));
  const free = musts.filter(({ id }) => freeEvidenceOf(freeEvidence, id) !== undefined);
  const share = free.length / musts.length;
  return [
    ...idle.map(({ free: glob }) => `${glob} is declared to be free, and is not a MUST`),
    ...(share > MAX_FREE
      ? [
          `the evidence of ${free.length} of ${musts.length} MUSTs is declared to be free, at most ${MAX_FREE * 100} % allowed`,
        ]
      : []),
  ];
}

/** Requirements that some run shows and no scenario is expected to show. */
export function unexpectedOf(
  catalogue: Catalogue,
  { groups }: ExpectedEvidenceFile,
  runs: readonly ShownByScenario[],
): readonly string[] {
  const grouped = new Set(groups.flatMap(({ requirements }) => requirements));
  const shown = new Set(runs.flatMap((run) => [...run.values()].flatMap((ids) => [...ids])));
  return expectable(catalogue)
    .filter((id) => shown.has(id) && !grouped.has(id))
    .map((id) => `${id} is shown in some runs, and by no scenario in all of them`);
}

/** Where one run does not show what the file expects. */
export function driftOf({ groups }: ExpectedEvidenceFile, run: ShownByScenario): readonly string[] {
  return groups.flatMap(({ scenarios, requirements }) =>
    scenarios.flatMap((name) =>
      requirements.filter((id) => run.get(name)?.has(id) !== true).map((id) => `${name} does not show ${id}`),
    ),
  );
}
