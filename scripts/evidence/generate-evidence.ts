// `npm run generate:evidence`: writes suites/expected-evidence.json, which scenario shows which requirement.
// With --check it writes nothing, and exits with 1 if the file does not match the suites, or the run in CASSETTE.
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { type ExpectedEvidenceFile, idsByScenario } from '../../drive/scenario/shown-by-scenario.ts';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { evidenceByScenario, type ShownIds } from '../../explain/shown-evidence.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { packageInfo } from '../../pipeline/setup/package-info.ts';
import { catalogue } from '../../suites/index.ts';
import { runOnReference } from '../run-on-reference.ts';
import { scriptArguments } from '../words.ts';
import { driftOf, evidenceIn, problemsOf } from './expected-evidence-file.ts';

const FILE = 'suites/expected-evidence.json';

const { values, positionals } = scriptArguments(
  { check: { type: 'boolean' } },
  'npm run generate:evidence -- [--check [CASSETTE]]',
);
const all = await catalogue();

/** Writes the file; returns problems that only a declaration of free evidence, or a scenario, can solve. */
async function generate(): Promise<readonly string[]> {
  const runs = [];
  for (const run of EVIDENCE_RUNS) runs.push(await runAndTime(run));
  const earlier: ExpectedEvidenceFile = JSON.parse(readFileSync(FILE, 'utf8'));
  const lists = evidenceIn(all, { runs, costly: await runAndTime(COSTLY_RUN), earlier });
  const file = { format: 2, version: packageInfo().version, ...lists } as const;
  writeFileSync(FILE, renderFile(file));
  return problemsOf(all, file);
}

async function runAndTime(run: EvidenceRun) {
  const began = performance.now();
  const evidence = await evidenceOfRun(all, run);
  console.log(`${run.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return evidence;
}

/** Mismatches between the file and the suites, this version, or the run in a given cassette. */
async function check(cassette: string | undefined): Promise<readonly string[]> {
  const file: ExpectedEvidenceFile = JSON.parse(readFileSync(FILE, 'utf8'));
  const { version } = packageInfo();
  const outdated = file.version === version ? [] : [`it is of version ${file.version}, not ${version}`];
  const drift =
    cassette === undefined
      ? []
      : driftOf(file, await evidenceOfCassette(all, cassette, idsByScenario({ ...file, others: [] })));
  return [...outdated, ...problemsOf(all, file), ...drift];
}

function renderFile({ groups, others, ...head }: ExpectedEvidenceFile): string {
  const list = (all: typeof groups): string =>
    `[\n${all.map((group) => JSON.stringify(group)).join(',\n')}\n]`;
  return `${JSON.stringify(head).slice(0, -1)},"groups":${list(groups)},"others":${list(others)}}\n`;
}

// The runs from which expected evidence is generated: the same scenarios under conditions that services and callers choose freely.

export interface EvidenceRun {
  readonly name: string;
  readonly concurrency: number;
  /** Whether scenarios that list objects of other scenarios run last, as with the embedded reference. */
  readonly embedded: boolean;
  /** Seconds on the reference's clock for which an object stays in a state; with 0, until it is read. */
  readonly stateDelay: number;
  /** Seed of the ids and the model of the reference. */
  readonly seed: number;
  readonly flags?: Readonly<Record<string, string>>;
}

/** Seconds on the reference's clock per real second. */
const PACE = 10;

/** A scenario is expected to show a requirement if it does so in all of these runs. */
export const EVIDENCE_RUNS: readonly EvidenceRun[] = [
  { name: 'embedded, 16 at once', concurrency: 16, embedded: true, stateDelay: 0, seed: 1 },
  { name: 'embedded, one at a time', concurrency: 1, embedded: true, stateDelay: 0, seed: 2 },
  { name: 'as a service, 16 at once', concurrency: 16, embedded: false, stateDelay: 0, seed: 3 },
  { name: 'as a service, one at a time', concurrency: 1, embedded: false, stateDelay: 0, seed: 4 },
  { name: 'states delayed, 16 at once', concurrency: 16, embedded: true, stateDelay: 3, seed: 5 },
  { name: 'states delayed, as a service', concurrency: 4, embedded: false, stateDelay: 8, seed: 6 },
];

/** The scenarios that need `--allow large`. */
export const COSTLY_RUN: EvidenceRun = {
  name: 'large bodies',
  concurrency: 1,
  embedded: true,
  stateDelay: 0,
  seed: 7,
  flags: { allow: 'tokens,images,audio,training,bulk,large', scenario: '*.large' },
};

/** Drives the suite against its own reference and attributes the evidence to scenarios. */
export async function evidenceOfRun(catalogue: Catalogue, run: EvidenceRun): Promise<ShownIds> {
  const { concurrency, embedded, stateDelay, seed, flags } = run;
  return runOnReference(
    { reference: { stateDelay, seed }, flags: { ...flags, concurrency }, pace: PACE, embedded },
    (cassette) => evidenceOfCassette(catalogue, cassette),
  );
}

export async function evidenceOfCassette(
  catalogue: Catalogue,
  cassette: string,
  sought?: ShownIds,
): Promise<ShownIds> {
  return evidenceByScenario(catalogue, await readTrace(cassette), sought);
}

const problems = values.check === true ? await check(positionals[0]) : await generate();
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${FILE} does not fit the suites. Refresh it: npm run generate:evidence`);
  process.exitCode = 1;
}
