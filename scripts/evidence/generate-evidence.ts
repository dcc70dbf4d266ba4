// `npm run generate:evidence` writes suites/expected-evidence.json, which says which scenario shows which requirement.
// With --check it writes nothing, and exits with 1 if the file does not match the suites, or the run in CASSETTE.
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import {
  type EvidenceGroup,
  type ExpectedEvidenceFile,
  idsByScenario,
} from '../../drive/scenario/shown-by-scenario.ts';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import { TOOL } from '../../exchange/tool.ts';
import { attributeEvidence, type IdsByScenario } from '../../explain/evidence-by-scenario.ts';
import { freeEvidenceOf, requirementsOf } from '../../judge/requirements/catalogue.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { catalogue } from '../../suites/index.ts';
import { runOnReference } from '../run-on-reference.ts';
import { parseScriptArguments } from '../script-arguments.ts';
import { attributeScenarios, subjectsOf } from './attributed-scenarios.ts';

const FILE = 'suites/expected-evidence.json';
const MAX_FREE_SHARE = 0.02;
/** Seconds on the reference's clock per real second. */
const PACE = 10;

type Lists = Pick<ExpectedEvidenceFile, 'groups' | 'others'>;

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

/** A scenario is expected to show a requirement only if it does so in all of these runs. */
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

const { values, positionals } = parseScriptArguments(
  { check: { type: 'boolean' } },
  'npm run generate:evidence -- [--check [CASSETTE]]',
);
const suites = await catalogue();
const previousFile: ExpectedEvidenceFile = JSON.parse(readFileSync(FILE, 'utf8'));
const problems = values.check === true ? await check(positionals[0]) : await generate();
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  const advice = values.check
    ? 'Refresh it: npm run generate:evidence'
    : 'Add scenarios, or declare `free` evidence';
  console.error(`${FILE} does not fit the suites. ${advice}`);
  process.exitCode = 1;
}

/** Writes the file; returns problems that only a declaration of free evidence, or a scenario, can solve. */
async function generate(): Promise<readonly string[]> {
  const runs = [];
  for (const run of EVIDENCE_RUNS) runs.push(await evidenceOfRun(run));
  const lists = evidenceIn(runs, await evidenceOfRun(COSTLY_RUN));
  const file = { format: 2, version: TOOL.version, ...lists } as const;
  writeFileSync(FILE, renderFile(file));
  return problemsOf(file);
}

async function check(cassette: string | undefined): Promise<readonly string[]> {
  const { version } = TOOL;
  const outdated =
    previousFile.version === version ? [] : [`${FILE} is of version ${previousFile.version}, not ${version}`];
  const drift =
    cassette === undefined
      ? []
      : driftOf(await evidenceOfCassette(cassette, idsByScenario({ ...previousFile, others: [] })));
  return [...outdated, ...problemsOf(previousFile), ...drift];
}

async function evidenceOfRun(run: EvidenceRun): Promise<IdsByScenario> {
  const { name, concurrency, embedded, stateDelay, seed, flags } = run;
  const began = performance.now();
  const evidence = await runOnReference(
    { reference: { stateDelay, seed }, flags: { ...flags, concurrency }, pace: PACE, embedded },
    (cassette) => evidenceOfCassette(cassette),
  );
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return evidence;
}

async function evidenceOfCassette(cassette: string, sought?: IdsByScenario): Promise<IdsByScenario> {
  return attributeEvidence(suites, await readTrace(cassette), sought);
}

function renderFile({ groups, others, ...head }: ExpectedEvidenceFile): string {
  const list = (listed: typeof groups): string =>
    `[\n${listed.map((group) => JSON.stringify(group)).join(',\n')}\n]`;
  return `${JSON.stringify(head).slice(0, -1)},"groups":${list(groups)},"others":${list(others)}}\n`;
}

/**
 * The evidence of all scenarios, grouped by scenarios. MUSTs whose evidence is not free are expected from scenarios
 * that show them in all runs, and only from those of the previous file if it has any: the model of the reference makes
 * the same decisions in every run, so showing a MUST in all of them may be a coincidence.
 */
function evidenceIn(runs: readonly IdsByScenario[], costlyRun: IdsByScenario): Lists {
  const previousIds = idsByScenario({ ...previousFile, others: [] });
  const expectable = new Set(expectableIds());
  const names = suites.scenarios.map(({ name }) => name);
  const groups = new Map<string, string[]>();
  const others = new Map<string, string[]>();
  for (const subject of subjectsOf(suites)) {
    const { id } = subject;
    const isShownIn = (run: IdsByScenario, name: string) => run.get(name)?.has(id) === true;
    const showingScenarios = names.filter((name) => [...runs, costlyRun].some((run) => isShownIn(run, name)));
    const attributed = attributeScenarios(suites, subject, showingScenarios);
    const isReliable = (name: string) => expectable.has(id) && runs.every((run) => isShownIn(run, name));
    const reliable = attributed.filter(isReliable);
    const reliableBefore = reliable.filter((name) => isShownIn(previousIds, name));
    const expected = reliableBefore.length > 0 ? reliableBefore : reliable;
    addToGroup(groups, expected, id);
    const unexpected = attributed.filter((name) => !expected.includes(name));
    addToGroup(others, unexpected, id);
  }
  return { groups: listGroups(groups), others: listGroups(others) };
}

/** Adds an id to the group of these scenarios. The key contains their names, one per line. */
function addToGroup(groups: Map<string, string[]>, scenarios: readonly string[], id: string): void {
  if (scenarios.length > 0) getOrMake(groups, scenarios.join('\n'), () => []).push(id);
}

function listGroups(groups: ReadonlyMap<string, readonly string[]>): readonly EvidenceGroup[] {
  return [...groups].map(([key, shows]) => ({ scenarios: key.split('\n'), shows }));
}

/** The MUSTs that need evidence on every target. */
function expectableIds(): readonly string[] {
  return [...requirementsOf(suites).values()]
    .filter(
      ({ id, level }) => level === 'MUST' && freeEvidenceOf(suites.freeEvidence ?? [], id) === undefined,
    )
    .map(({ id }) => id);
}

function problemsOf({ groups, others }: Lists): readonly string[] {
  const knownIds = new Set([...requirementsOf(suites).keys(), ...suites.choices.map(({ id }) => id)]);
  const scenarios = new Set(suites.scenarios.map(({ name }) => name));
  const shown = idsByScenario({ groups, others });
  const listedIds = new Set([...groups, ...others].flatMap(({ shows }) => shows));
  return [
    ...[...shown.keys()].filter((name) => !scenarios.has(name)).map((name) => `${name} is not a scenario`),
    ...[...scenarios].filter((name) => !shown.has(name)).map((name) => `${name} shows nothing, or is new`),
    ...[...listedIds].filter((id) => !knownIds.has(id)).map((id) => `${id} is not a requirement or choice`),
    ...neverExpected({ groups, others }),
    ...freeProblems(),
  ];
}

function neverExpected({ groups, others }: Lists): readonly string[] {
  const costlyNames = new Set(suites.scenarios.filter(isCostly).map(({ name }) => name));
  const costlyGroups = others.filter(({ scenarios }) => scenarios.every((name) => costlyNames.has(name)));
  const expectedIds = new Set([...groups, ...costlyGroups].flatMap(({ shows }) => shows));
  return expectableIds()
    .filter((id) => !expectedIds.has(id))
    .filter((id) => !suites.infeasible.some((one) => matchesGlob(one.id, id)))
    .map((id) => `${id} is shown by no scenario in every run, and not declared to be free`);
}

function isCostly(scenario: object): boolean {
  return 'cost' in scenario && Array.isArray(scenario.cost) && scenario.cost.includes('large');
}

/** Declarations of free evidence that no MUST needs, or that apply to too many MUSTs. */
function freeProblems(): readonly string[] {
  const { freeEvidence = [] } = suites;
  const musts = [...requirementsOf(suites).values()].filter(({ level }) => level === 'MUST');
  // A stale glob could match a future MUST, and hide that it lacks evidence.
  const unusedDeclarations = freeEvidence.filter(
    ({ free }) => !musts.some(({ id }) => matchesGlob(free, id)),
  );
  const free = musts.filter(({ id }) => freeEvidenceOf(freeEvidence, id) !== undefined);
  const share = free.length / musts.length;
  return [
    ...unusedDeclarations.map(({ free: glob }) => `${glob} is declared to be free, and matches no MUST`),
    ...(share > MAX_FREE_SHARE
      ? [
          `the evidence of ${free.length} of ${musts.length} MUSTs is declared to be free; at most ${MAX_FREE_SHARE * 100} % may be`,
        ]
      : []),
  ];
}

function driftOf(run: IdsByScenario): readonly string[] {
  return previousFile.groups.flatMap(({ scenarios, shows }) =>
    scenarios.flatMap((name) =>
      shows.filter((id) => run.get(name)?.has(id) !== true).map((id) => `${name} does not show ${id}`),
    ),
  );
}
