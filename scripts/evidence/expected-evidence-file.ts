// Derives suites/expected-evidence.json from runs, and checks the file against the suites and against one run.
import { isScenario, type Scenario } from '../../drive/scenario/scenario.ts';
import {
  type EvidenceGroup,
  type ExpectedEvidenceFile,
  idsByScenario,
} from '../../drive/scenario/shown-by-scenario.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import type { ShownIds } from '../../explain/shown-evidence.ts';
import { type Catalogue, freeEvidenceOf, requirementsOf } from '../../judge/requirements/catalogue.ts';

type Lists = Pick<ExpectedEvidenceFile, 'groups' | 'others'>;

/** Maximum share of MUSTs whose evidence may be declared free. */
const MAX_FREE = 0.02;

interface EvidenceSources {
  readonly runs: readonly ShownIds[];
  /** A run of the costly scenarios. */
  readonly costly: ShownIds;
  /** The previous file: what it expects stays expected as long as all runs show it. */
  readonly earlier: Lists;
}

/**
 * The evidence of all scenarios, grouped by scenarios. MUSTs whose evidence is not free are expected from scenarios that show them in
 * all runs, and only from those of the previous file if it has any: the model of the reference makes the same decisions in every
 * run, so showing a MUST in all of them may be a coincidence.
 */
export function evidenceIn(catalogue: Catalogue, { runs, costly, earlier }: EvidenceSources): Lists {
  const before = idsByScenario({ ...earlier, others: [] });
  const expected = new Set(expectable(catalogue));
  const scenariosOf = attribution(catalogue);
  const groups = new Map<string, string[]>();
  const others = new Map<string, string[]>();
  for (const id of idsOf(catalogue)) {
    const showing = (all: readonly ShownIds[], how: 'some' | 'every') =>
      catalogue.scenarios.map(({ name }) => name).filter((name) => all[how]((run) => run.get(name)?.has(id)));
    const own = scenariosOf(id, showing([...runs, costly], 'some'));
    const always = new Set(expected.has(id) ? showing(runs, 'every') : []);
    const certain = own.filter((name) => always.has(name));
    const known = certain.filter((name) => before.get(name)?.has(id) === true);
    const relied = known.length > 0 ? known : certain;
    add(groups, relied, id);
    const rest = own.filter((name) => !relied.includes(name));
    add(others, rest, id);
  }
  return { groups: sortedGroups(groups), others: sortedGroups(others) };
}

/** Adds an id to the group of these scenarios. The key contains their names, one per line. */
function add(groups: Map<string, string[]>, scenarios: readonly string[], id: string): void {
  if (scenarios.length === 0) return;
  const key = scenarios.join('\n');
  groups.set(key, [...(groups.get(key) ?? []), id]);
}

function sortedGroups(groups: ReadonlyMap<string, readonly string[]>): readonly EvidenceGroup[] {
  return [...groups].map(([key, shows]) => ({ scenarios: key.split('\n'), shows }));
}

function idsOf(catalogue: Catalogue): readonly string[] {
  return [...requirementsOf(catalogue).keys(), ...catalogue.choices.map(({ id }) => id)];
}

function expectable(catalogue: Catalogue): readonly string[] {
  return [...requirementsOf(catalogue).values()]
    .filter(
      ({ id, level }) => level === 'MUST' && freeEvidenceOf(catalogue.freeEvidence ?? [], id) === undefined,
    )
    .map(({ id }) => id);
}

export function problemsOf(catalogue: Catalogue, { groups, others }: Lists): readonly string[] {
  const known = new Set(idsOf(catalogue));
  const scenarios = new Set(catalogue.scenarios.map(({ name }) => name));
  const shown = idsByScenario({ groups, others });
  const listedIds = new Set([...groups, ...others].flatMap(({ shows }) => shows));
  return [
    ...[...shown.keys()].filter((name) => !scenarios.has(name)).map((name) => `${name} is not a scenario`),
    ...[...scenarios].filter((name) => !shown.has(name)).map((name) => `${name} shows nothing, or is new`),
    ...[...listedIds].filter((id) => !known.has(id)).map((id) => `${id} is not a requirement or choice`),
    ...neverExpected(catalogue, { groups, others }),
    ...freeProblems(catalogue),
  ];
}

/** MUSTs that no scenario is expected to show, without a declaration. */
function neverExpected(catalogue: Catalogue, { groups, others }: Lists): readonly string[] {
  const costly = new Set(catalogue.scenarios.filter(isCostly).map(({ name }) => name));
  const shown = others.filter(({ scenarios }) => scenarios.every((name) => costly.has(name)));
  const grouped = new Set([...groups, ...shown].flatMap(({ shows }) => shows));
  return expectable(catalogue)
    .filter((id) => !grouped.has(id))
    .filter((id) => !catalogue.infeasible.some((one) => matchesGlob(one.id, id)))
    .map((id) => `${id} is shown by no scenario in every run, and not declared to be free`);
}

function isCostly(scenario: object): boolean {
  return 'cost' in scenario && Array.isArray(scenario.cost) && scenario.cost.includes('large');
}

/** Declarations of free evidence that no MUST needs, or that apply to too many MUSTs. */
function freeProblems({ freeEvidence = [], ...catalogue }: Catalogue): readonly string[] {
  const musts = [...requirementsOf({ freeEvidence, ...catalogue }).values()].filter(
    ({ level }) => level === 'MUST',
  );
  // A stale glob would hide a later MUST of that name.
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

/** Evidence that the file expects and a run does not show. */
export function driftOf({ groups }: Lists, run: ShownIds): readonly string[] {
  return groups.flatMap(({ scenarios, shows }) =>
    scenarios.flatMap((name) =>
      shows.filter((id) => run.get(name)?.has(id) !== true).map((id) => `${name} does not show ${id}`),
    ),
  );
}

// Selects the scenarios of a requirement among those that show it: nearly all scenarios upload a file or create an
// assistant, and a run of one requirement should not need all of them.

interface Subject {
  readonly id: string;
  /** The kind of a requirement, or `choice`. */
  readonly kind: string;
  readonly families: readonly string[];
  readonly operations: readonly string[];
}

/** Selects the scenarios of an id among those that show it; returns their names. */
export type Attribution = (id: string, showing: readonly string[]) => readonly string[];

/** The attribution for a catalogue; unknown ids have no scenarios. */
export function attribution(catalogue: Catalogue): Attribution {
  const subjects = new Map(subjectsOf(catalogue).map((subject) => [subject.id, subject]));
  const scenarios = new Map(catalogue.scenarios.filter(isScenario).map((one) => [one.name, one]));
  return (id, showing) => {
    const subject = subjects.get(id);
    if (subject === undefined) return [];
    const all = showing.flatMap((name) => scenarios.get(name) ?? []);
    const near = preferred(all, (one) => isNear(one, subject));
    // Any request is evidence of acceptance, and only the label decides whether a probe shows it.
    const ofProbes = subject.kind === 'accepted' || subject.kind === 'rejected';
    const chosen = ofProbes ? near : preferred(near, ({ probes }) => probes !== true);
    return chosen.map(({ name }) => name).toSorted();
  };
}

/** Whether a scenario has the family of a requirement, or exercises one of its operations. */
function isNear(scenario: Scenario, { families, operations }: Subject): boolean {
  return families.includes(scenario.family) || scenario.operations.some((id) => operations.includes(id));
}

function preferred<T>(all: readonly T[], isPreferred: (one: T) => boolean): readonly T[] {
  const found = all.filter(isPreferred);
  return found.length === 0 ? all : found;
}

function subjectsOf(catalogue: Catalogue): readonly Subject[] {
  const choices = catalogue.choices.map(({ id, selector }) => {
    const { operations } = selector;
    return { id, kind: 'choice', families: [], operations };
  });
  return [...requirementsOf(catalogue).values(), ...choices];
}
