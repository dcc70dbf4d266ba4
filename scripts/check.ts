// `npm run check`: one word that checks everything a commit can break. Each step prints its time.
// With `-- --static` only the steps that read sources, for a pipeline that runs all tests and proves everything anyway.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { changedFiles } from './changed.ts';

/** One program of the check; it passes when it exits with 0. */
interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** Revision that changes are counted from. */
const base = changedSince();

/** The longest first, so that none is left over alone at the end. */
const SOURCE_STEPS: readonly Step[] = [
  {
    name: 'prose, names, functions, folders, cycles, dead code',
    command: ['tsx', 'scripts/check-sources.ts'],
  },
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'generated files', command: ['tsx', 'scripts/generate.ts', '--check'] },
  { name: 'expected evidence', command: ['tsx', 'scripts/evidence/generate-evidence.ts', '--check'] },
  { name: 'dependencies', command: ['tsx', 'scripts/dependencies.ts', '--check'] },
  { name: 'openapi', command: ['tsx', 'scripts/lint-openapi.ts'] },
];

const FURTHER_STEPS: readonly Step[] = process.argv.includes('--static')
  ? []
  : [alwaysTested(), testsOfWhatChanged(), ...proofOfWhatChanged()];

// Steps that only read sources run two at a time. The others run one after the other: each uses all cores, or the result of
// the one before.
const left = [...SOURCE_STEPS];
const worker = async (): Promise<void> => {
  for (let step = left.shift(); step !== undefined; step = left.shift()) await taken(step);
};
await Promise.all([worker(), worker()]);
for (const step of FURTHER_STEPS) await taken(step);

/**
 * Runs a step and prints its whole output with its time. All steps run, also after a failed one: a commit is corrected once and
 * not once for each step.
 */
async function taken({ name, command: [program, ...args] }: Step): Promise<void> {
  const began = performance.now();
  // Not by npx, which takes half a second of its own for each.
  const child = spawn(join('node_modules/.bin', program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${output}${code === 0 ? 'ok  ' : 'FAIL'}  ${name}  ${seconds} s\n`);
  if (code !== 0) process.exitCode = 1;
}

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
  const files = changedFiles(base);
  if (
    !files.some((file) =>
      /^(judge|explain|exchange|suites|schemas|pipeline\/judging|scripts\/evasion)\//.test(file),
    )
  )
    return [];
  const folder = 'assay-report/check';
  return [
    {
      name: 'a run to prove on',
      command: ['tsx', 'cli/main.ts', 'run', '--report', 'json', '--report-dir', folder],
    },
    // The committed list is generated from six runs; this one must not contradict it.
    {
      name: 'evidence of that run',
      command: ['tsx', 'scripts/evidence/generate-evidence.ts', '--check', `${folder}/cassette`],
    },
    {
      name: 'proof of what changed',
      command: ['tsx', 'scripts/prove.ts', `${folder}/cassette`, '--changed-since', base],
    },
    {
      name: 'proof by evasion of what changed',
      command: ['tsx', 'scripts/evasion/prove.ts', `${folder}/cassette`, '--changed-since', base],
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
