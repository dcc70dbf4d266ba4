// `npm run generate:evidence` writes suites/expected-evidence.json, which states which scenario shows which requirement.
// With --check it writes nothing, and exits with 1 if the file does not match the suites, or the run in CASSETTE.
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isScenario } from '../../drive/scenario/scenario.ts';
import {
  type EvidenceGroup,
  type ExpectedEvidenceFile,
  idsByScenario,
} from '../../drive/scenario/shown-by-scenario.ts';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import { evidenceByScenario, type ShownIds } from '../../explain/evidence-by-scenario.ts';
import { freeEvidenceOf, requirementsOf } from '../../judge/requirements/catalogue.ts';
import { packageInfo } from '../../pipeline/setup/package-info.ts';
import { catalogue } from '../../suites/index.ts';
import { runOnReference } from '../run-on-reference.ts';
import { scriptArguments } from '../script-arguments.ts';

const FILE = 'suites/expected-evidence.json';
/** Maximum share of MUSTs whose evidence may be declared free. */
const MAX_FREE_SHARE = 0.02;
/** Seconds on the reference's clock per real second. */
const CLOCK_SPEED = 10;

type Lists = Pick<ExpectedEvidenceFile, 'groups' | 'others'>;

/** A run of the same scenarios under conditions that services and callers may choose freely. */
interface EvidenceRun {
  readonly name: string;
  readonly concurrency: number;
  /** Whether scenarios that list objects of other scenarios run last, as with the embedded reference. */
  readonly embedded: boolean;
  /** Seconds on the reference's clock for which an object stays in a state; with 0, until it is read. */
  readonly stateDelay: number;
  readonly seed: number;
  readonly flags?: Readonly<Record<string, string>>;
}

/** A scenario is expected to show a requirement if it does so in all of these runs. */
const EVIDENCE_RUNS: readonly EvidenceRun[] = [
  { name: 'embedded, 16 at once', concurrency: 16, embedded: true, stateDelay: 0, seed: 1 },
  { name: 'embedded, one at a time', concurrency: 1, embedded: true, stateDelay: 0, seed: 2 },
  { name: 'as a service, 16 at once', concurrency: 16, embedded: false, stateDelay: 0, seed: 3 },
  { name: 'as a service, one at a time', concurrency: 1, embedded: false, stateDelay: 0, seed: 4 },
  { name: 'states delayed, 16 at once', concurrency: 16, embedded: true, stateDelay: 3, seed: 5 },
  { name: 'states delayed, as a service', concurrency: 4, embedded: false, stateDelay: 8, seed: 6 },
];

/** The scenarios that need `--allow large`. */
const COSTLY_RUN: EvidenceRun = {
  name: 'large bodies',
  concurrency: 1,
  embedded: true,
  stateDelay: 0,
  seed: 7,
  flags: { allow: 'tokens,images,audio,training,bulk,large', scenario: '*.large' },
};

const { values, positionals } = scriptArguments(
  { check: { type: 'boolean' } },
  'npm run generate:evidence -- [--check [CASSETTE]]',
);
const all = await catalogue();
const earlier: ExpectedEvidenceFile = JSON.parse(readFileSync(FILE, 'utf8'));
const problems = values.check === true ? await check(positionals[0]) : await generate();
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${FILE} does not fit the suites. Refresh it: npm run generate:evidence`);
  process.exitCode = 1;
}

/** Writes the file; returns problems that only a declaration of free evidence, or a scenario, can solve. */
async function generate(): Promise<readonly string[]> {
  const runs = [];
  for (const run of EVIDENCE_RUNS) runs.push(await evidenceOfRun(run));
  const lists = evidenceIn(runs, await evidenceOfRun(COSTLY_RUN));
  const file = { format: 2, version: packageInfo().version, ...lists } as const;
  writeFileSync(FILE, renderFile(file));
  return problemsOf(file);
}

/** Mismatches between the file and the suites, this version, or the run in a given cassette. */
async function check(cassette: string | undefined): Promise<readonly string[]> {
  const { version } = packageInfo();
  const outdated = earlier.version === version ? [] : [`it is of version ${earlier.version}, not ${version}`];
  const drift =
    cassette === undefined
      ? []
      : driftOf(await evidenceOfCassette(cassette, idsByScenario({ ...earlier, others: [] })));
  return [...outdated, ...problemsOf(earlier), ...drift];
}

/** Drives the suite against its own reference and attributes the evidence to scenarios. */
async function evidenceOfRun(run: EvidenceRun): Promise<ShownIds> {
  const { name, concurrency, embedded, stateDelay, seed, flags } = run;
  const began = performance.now();
  const evidence = await runOnReference(
    { reference: { stateDelay, seed }, flags: { ...flags, concurrency }, pace: CLOCK_SPEED, embedded },
    (cassette) => evidenceOfCassette(cassette),
  );
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return evidence;
}

async function evidenceOfCassette(cassette: string, sought?: ShownIds): Promise<ShownIds> {
  return evidenceByScenario(all, await readTrace(cassette), sought);
}

function renderFile({ groups, others, ...head }: ExpectedEvidenceFile): string {
  const list = (all: typeof groups): string =>
    `[\n${all.map((group) => JSON.stringify(group)).join(',\n')}\n]`;
  return `${JSON.stringify(head).slice(0, -1)},"groups":${list(groups)},"others":${list(others)}}\n`;
}

/**
 * The evidence of all scenarios, grouped by scenarios. MUSTs whose evidence is not free are expected from scenarios that show them in
 * all runs, and only from those of the previous file if it has any: the model of the reference makes the same decisions in every
 * run, so showing a MUST in all of them may be a coincidence.
 */
function evidenceIn(runs: readonly ShownIds[], costly: ShownIds): Lists {
  const before = idsByScenario({ ...earlier, others: [] });
  const expected = new Set(expectable());
  const subjects = new Map(subjectsOf().map((subject) => [subject.id, subject]));
  const groups = new Map<string, string[]>();
  const others = new Map<string, string[]>();
  for (const id of idsOf()) {
    const showing = (some: readonly ShownIds[], how: 'some' | 'every') =>
      all.scenarios.map(({ name }) => name).filter((name) => some[how]((run) => run.get(name)?.has(id)));
    const own = attributeScenarios(subjects.get(id), showing([...runs, costly], 'some'));
    const always = new Set(expected.has(id) ? showing(runs, 'every') : []);
    const certain = own.filter((name) => always.has(name));
    const known = certain.filter((name) => before.get(name)?.has(id) === true);
    const relied = known.length > 0 ? known : certain;
    addToGroup(groups, relied, id);
    const rest = own.filter((name) => !relied.includes(name));
    addToGroup(others, rest, id);
  }
  return { groups: sortedGroups(groups), others: sortedGroups(others) };
}

/** Adds an id to the group of these scenarios. The key contains their names, one per line. */
function addToGroup(groups: Map<string, string[]>, scenarios: readonly string[], id: string): void {
  if (scenarios.length === 0) return;
  const key = scenarios.join('\n');
  groups.set(key, [...(groups.get(key) ?? []), id]);
}

function sortedGroups(groups: ReadonlyMap<string, readonly string[]>): readonly EvidenceGroup[] {
  return [...groups].map(([key, shows]) => ({ scenarios: key.split('\n'), shows }));
}

function idsOf(): readonly string[] {
  return [...requirementsOf(all).keys(), ...all.choices.map(({ id }) => id)];
}

function expectable(): readonly string[] {
  return [...requirementsOf(all).values()]
    .filter(({ id, level }) => level === 'MUST' && freeEvidenceOf(all.freeEvidence ?? [], id) === undefined)
    .map(({ id }) => id);
}

function problemsOf({ groups, others }: Lists): readonly string[] {
  const known = new Set(idsOf());
  const scenarios = new Set(all.scenarios.map(({ name }) => name));
  const shown = idsByScenario({ groups, others });
  const listedIds = new Set([...groups, ...others].flatMap(({ shows }) => shows));
  return [
    ...[...shown.keys()].filter((name) => !scenarios.has(name)).map((name) => `${name} is not a scenario`),
    ...[...scenarios].filter((name) => !shown.has(name)).map((name) => `${name} shows nothing, or is new`),
    ...[...listedIds].filter((id) => !known.has(id)).map((id) => `${id} is not a requirement or choice`),
    ...neverExpected({ groups, others }),
    ...freeProblems(),
  ];
}

/** MUSTs that no scenario is expected to show, without a declaration. */
function neverExpected({ groups, others }: Lists): readonly string[] {
  const costly = new Set(all.scenarios.filter(isCostly).map(({ name }) => name));
  const shown = others.filter(({ scenarios }) => scenarios.every((name) => costly.has(name)));
  const grouped = new Set([...groups, ...shown].flatMap(({ shows }) => shows));
  return expectable()
    .filter((id) => !grouped.has(id))
    .filter((id) => !all.infeasible.some((one) => matchesGlob(one.id, id)))
    .map((id) => `${id} is shown by no scenario in every run, and not declared to be free`);
}

function isCostly(scenario: object): boolean {
  return 'cost' in scenario && Array.isArray(scenario.cost) && scenario.cost.includes('large');
}

/** Declarations of free evidence that no MUST needs, or that apply to too many MUSTs. */
function freeProblems(): readonly string[] {
  const { freeEvidence = [] } = all;
  const musts = [...requirementsOf(all).values()].filter(({ level }) => level === 'MUST');
  // A stale glob could match a future MUST, and hide that it lacks evidence.
  const idle = freeEvidence.filter(({ free }) => !musts.some(({ id }) => matchesGlob(free, id)));
  const free = musts.filter(({ id }) => freeEvidenceOf(freeEvidence, id) !== undefined);
  const share = free.length / musts.length;
  return [
    ...idle.map(({ free: glob }) => `${glob} is declared to be free, and is not a MUST`),
    ...(share > MAX_FREE_SHARE
      ? [
          `the evidence of ${free.length} of ${musts.length} MUSTs is declared to be free, at most ${MAX_FREE_SHARE * 100} % allowed`,
        ]
      : []),
  ];
}

/** Evidence that the file expects and a run does not show. */
function driftOf(run: ShownIds): readonly string[] {
  return earlier.groups.flatMap(({ scenarios, shows }) =>
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

/** The scenarios to run for a subject, out of those that show it; none without a subject. */
function attributeScenarios(subject: Subject | undefined, showing: readonly string[]): readonly string[] {
  if (subject === undefined) return [];
  // Scenarios of the same family, or with an operation of the subject, are preferred.
  const shown = all.scenarios.filter(isScenario).filter(({ name }) => showing.includes(name));
  const { families, operations } = subject;
  const near = preferMatching(
    shown,
    (one) => families.includes(one.family) || one.operations.some((id) => operations.includes(id)),
  );
  // Any request is evidence of acceptance, and whether a probe counts as evidence depends only on its label.
  const ofProbes = subject.kind === 'accepted' || subject.kind === 'rejected';
  const chosen = ofProbes ? near : preferMatching(near, ({ probes }) => probes !== true);
  return chosen.map(({ name }) => name).toSorted();
}

function preferMatching<T>(some: readonly T[], isPreferred: (one: T) => boolean): readonly T[] {
  const found = some.filter(isPreferred);
  return found.length === 0 ? some : found;
}

function subjectsOf(): readonly Subject[] {
  const choices = all.choices.map(({ id, selector: { operations } }) => {
    return { id, kind: 'choice', families: [], operations };
  });
  return [...requirementsOf(all).values(), ...choices];
}
