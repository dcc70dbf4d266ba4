// `npm run generate:evidence`: writes suites/expected-evidence.json, which scenario shows which requirement.
// With --check nothing is written: exits 1 where the file does not fit the suites, or the run in CASSETTE.
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { byScenario, type ExpectedEvidenceFile } from '../../drive/scenario/shown-by-scenario.ts';
import { packageInfo } from '../../pipeline/setup/package-info.ts';
import { catalogue } from '../../suites/index.ts';
import { scriptArguments } from '../words.ts';
import {
  COSTLY_RUN,
  EVIDENCE_RUNS,
  type EvidenceRun,
  evidenceOfCassette,
  evidenceOfRun,
} from './evidence-runs.ts';
import { driftOf, evidenceIn, problemsOf } from './expected-evidence-file.ts';

/** Read by `suites/index.ts`. */
const FILE = 'suites/expected-evidence.json';

const { values, positionals } = scriptArguments(
  { check: { type: 'boolean' } },
  'npm run generate:evidence -- [--check [CASSETTE]]',
);
const all = await catalogue();
const problems = values.check === true ? await check(positionals[0]) : await generate();
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${FILE} does not fit the suites. Refresh it: npm run generate:evidence`);
  process.exitCode = 1;
}

/** Writes the file; returns what only a declaration of free evidence, or a scenario, can mend. */
async function generate(): Promise<readonly string[]> {
  const runs = [];
  for (const run of EVIDENCE_RUNS) runs.push(await timed(run));
  const earlier: ExpectedEvidenceFile = JSON.parse(readFileSync(FILE, 'utf8'));
  const lists = evidenceIn(all, { runs, costly: await timed(COSTLY_RUN), earlier });
  const file = { format: 2, version: packageInfo().version, ...lists } as const;
  writeFileSync(FILE, written(file));
  return problemsOf(all, file);
}

/** The evidence of a run, with a line about its time. */
async function timed(run: EvidenceRun) {
  const began = performance.now();
  const evidence = await evidenceOfRun(all, run);
  console.log(`${run.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return evidence;
}

/** Where the file does not fit the suites, this version, or the run in a cassette, if one is given. */
async function check(cassette: string | undefined): Promise<readonly string[]> {
  const file: ExpectedEvidenceFile = JSON.parse(readFileSync(FILE, 'utf8'));
  const { version } = packageInfo();
  const outdated = file.version === version ? [] : [`it is of version ${file.version}, not ${version}`];
  const drift =
    cassette === undefined
      ? []
      : driftOf(file, await evidenceOfCassette(all, cassette, byScenario({ ...file, others: [] })));
  return [...outdated, ...problemsOf(all, file), ...drift];
}

/** One group a line. */
function written({ groups, others, ...head }: ExpectedEvidenceFile): string {
  const list = (all: typeof groups): string =>
    `[\n${all.map((group) => JSON.stringify(group)).join(',\n')}\n]`;
  return `${JSON.stringify(head).slice(0, -1)},"groups":${list(groups)},"others":${list(others)}}\n`;
}
