// `npm run check` checks sources and generated files, runs the tests of data and of changed files, and repeats the
// proofs if verdicts may have changed. With `-- --static` it runs no tests and no proofs, for pipelines that run all of
// them anyway.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { changedFiles } from './changed-files.ts';
import { runTwoAtOnce } from './concurrency.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const base = findBaseRevision();

/** The longest steps come first, so that none runs alone at the end. */
const SOURCE_STEPS: readonly Step[] = [
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  // Without the tests, fewer global types are known.
  { name: 'types of the package', command: ['tsc', '-p', 'tsconfig.build.json', '--noEmit'] },
  { name: 'generated files', command: ['tsx', 'scripts/generate.ts', '--check'] },
  { name: 'expected evidence', command: ['tsx', 'scripts/evidence/generate-evidence.ts', '--check'] },
  { name: 'walls', command: ['node', 'scripts/checks/walls.mjs'] },
  { name: 'openapi', command: ['tsx', 'scripts/lint-openapi.ts'] },
];

const DATA_TESTS = ['schemas/data', 'schemas/examples', 'schemas/operations', 'scripts/checks/names'];
const TEST_STEPS: readonly Step[] = [
  // vitest cannot relate tests of data and sources to the files that they read.
  { name: 'schemas, examples and names', command: ['vitest', 'run', ...DATA_TESTS, '--reporter=dot'] },
  {
    name: 'tests of changed files',
    command: ['vitest', 'run', '--changed', base, '--passWithNoTests', '--reporter=dot'],
  },
];

// Steps that only read sources run two at a time; the others in sequence, as each uses all cores or an earlier result.
await runTwoAtOnce(SOURCE_STEPS, runStep);
if (!process.argv.includes('--static'))
  for (const step of [...TEST_STEPS, ...listProofSteps()]) await runStep(step);

/** A failure does not stop other steps, so a run shows all problems. */
async function runStep({ name, command: [program, ...args] }: Step): Promise<void> {
  const start = performance.now();
  // npx would add half a second per step.
  const child = spawn(program === 'node' ? process.execPath : join('node_modules/.bin', program), args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${output}${code === 0 ? 'ok  ' : 'FAIL'}  ${name}  ${seconds} s\n`);
  if (code !== 0) process.exitCode = 1;
}

function listProofSteps(): Step[] {
  const verdictSources =
    /^(judge|explain|exchange|suites|schemas|pipeline\/judging|scripts\/evasion|proof\/mutations)\//;
  if (!changedFiles(base).some((file) => verdictSources.test(file))) return [];
  const folder = 'assay-report/check';
  return [
    {
      name: 'a run to prove on',
      command: ['tsx', 'cli/main.ts', 'run', '--report', 'json', '--report-dir', folder],
    },
    // The committed list of expected evidence is generated from other runs; this run must not contradict it.
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

/** The last published ancestor of HEAD, or the previous commit if HEAD itself or nothing is published. */
function findBaseRevision(): string {
  const published = git('merge-base', 'HEAD', 'origin/main');
  const head = git('rev-parse', 'HEAD');
  if (published !== null && published !== head) return published;
  // A shallow clone may have no previous commit.
  return git('rev-parse', 'HEAD~1') === null ? 'HEAD' : 'HEAD~1';
}

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
