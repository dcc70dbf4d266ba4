// `npm run check`: one word that checks everything a commit can break, in order of speed. Each step prints its time.
// With `-- --static` only the steps that read sources, for a pipeline that runs all tests and proves everything anyway.
import { execFileSync, spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { changedFiles } from './changed.ts';

/** One program of the check; it passes when it exits with 0. */
interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** Revision that changes are counted from. */
const base = changedSince();

const STEPS: readonly Step[] = [
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'generated types', command: ['tsx', 'scripts/generate-types.ts', '--check'] },
  { name: 'ledger', command: ['tsx', 'scripts/generate-ledger.ts', '--check'] },
  { name: 'list of building blocks', command: ['tsx', 'scripts/generate-suite-readme.ts', '--check'] },
  { name: 'list of filed bugs', command: ['tsx', 'scripts/data/generate-filed-bugs.ts', '--check'] },
  { name: 'dependencies', command: ['tsx', 'scripts/dependencies.ts', '--check'] },
  { name: 'openapi', command: ['tsx', 'scripts/lint-openapi.ts'] },
  {
    name: 'prose, names, functions, folders, cycles, dead code',
    command: ['tsx', 'scripts/check-sources.ts'],
  },
  ...(process.argv.includes('--static')
    ? []
    : [alwaysTested(), testsOfWhatChanged(), ...proofOfWhatChanged()]),
];

let failed = false;
for (const { name, command } of STEPS) {
  const began = performance.now();
  const [program, ...args] = command;
  // All steps run, also after a failed one: a commit is corrected once and not once for each step.
  const { status } = spawnSync('npx', ['--no-install', program, ...args], { stdio: 'inherit' });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'}  ${name}  ${seconds} s`);
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;

/** Tests of data and of imports: the files that they read are not seen among their own imports. */
function alwaysTested(): Step {
  const files = ['schemas/data', 'schemas/examples', 'schemas/operations', 'scripts/borders'];
  return { name: 'schemas, examples and borders', command: ['vitest', 'run', ...files, '--reporter=dot'] };
}

/** Tests that import a changed file, as vitest finds them by the import graph. */
function testsOfWhatChanged(): Step {
  return {
    name: 'tests of what changed',
    command: ['vitest', 'run', '--changed', base, '--passWithNoTests', '--reporter=dot'],
  };
}

/** Nothing is to be proved where nothing that judges has changed; else a trace of the suites as they are now is broken. */
function proofOfWhatChanged(): Step[] {
  if (!changedFiles(base).some((file) => /^(judge|exchange|suites|schemas|pipeline\/judging)\//.test(file)))
    return [];
  const folder = 'assay-report/check';
  return [
    {
      name: 'a run to prove on',
      command: ['tsx', 'cli/main.ts', 'run', '--report', 'json', '--report-dir', folder],
    },
    {
      name: 'proof of what changed',
      command: ['tsx', 'scripts/prove.ts', `${folder}/cassette`, '--changed-since', base],
    },
  ];
}

/** Revision that the change is compared with: the published one, else the commit before. */
function changedSince(): string {
  // Without a remote, as on a fresh machine, the last commit is what there is to compare with.
  const published = git('merge-base', 'HEAD', 'origin/main');
  const head = git('rev-parse', 'HEAD');
  if (published !== null && published !== head) return published;
  return git('rev-parse', 'HEAD~1') === null ? 'HEAD' : 'HEAD~1';
}

/** The output of a git command; null where it fails, as in a clone without a remote. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
