// Runs the step for the summary, in the workflow that `assay init` writes for GitHub, in the default shell of GitHub's Linux runners.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { githubWorkflow } from '../pipeline/init/workflows.ts';

const FACTS = {
  baseUrl: 'http://127.0.0.1:8000/v1',
  keyVariable: 'SERVICE_KEY',
  start: null,
  installation: { install: 'npm ci', command: 'npx assay' },
};

test.for([
  ['nothing if there is no summary', null, ''],
  ['the summary if there is one', '# assay: conforms', '# assay: conforms'],
] as const)('the step for the summary succeeds, and shows %s', ([, summary, shown]) => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-step-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const out = join(cwd, 'step-summary');
  if (summary !== null) {
    mkdirSync(join(cwd, 'assay-report'));
    writeFileSync(join(cwd, 'assay-report', 'summary.md'), summary);
  }
  const { steps } = parse(githubWorkflow(FACTS)).jobs.conformance;
  const { run } = steps.find((step: { run?: string }) => step.run?.includes('GITHUB_STEP_SUMMARY'));
  // GitHub runs a step that names no shell with `bash -e`.
  const shell = ['-e', '-c', run];
  const env = { PATH: process.env['PATH'], GITHUB_STEP_SUMMARY: out };
  execFileSync('bash', shell, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  expect(existsSync(out) ? readFileSync(out, 'utf8') : '').toBe(shown);
});
