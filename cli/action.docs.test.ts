// Runs the script behind action.yml as a runner of GitHub would.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-action-'));
const inputs = [...readFileSync(join(root, 'action.yml'), 'utf8').matchAll(/^ +(INPUT_\w+): /gm)].map(
  ([, name]) => name ?? '',
);

beforeAll(() => {
  // An installed action has the built command at this path.
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  const main = JSON.stringify(pathToFileURL(inject('main')).href);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'dist/cli/main.js'), `import(${main});\n`);
});

afterAll(() => rmSync(folder, { recursive: true }));

function runAction(name: string, actionInputs: Record<string, string>) {
  const dir = join(folder, name);
  mkdirSync(dir);
  const files = { GITHUB_OUTPUT: join(dir, 'output'), GITHUB_STEP_SUMMARY: join(dir, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const defaults = Object.fromEntries(inputs.map((input) => [input, '']));
  const env = {
    PATH: process.env['PATH'] ?? '',
    GITHUB_ACTION_PATH: folder,
    ...files,
    ...defaults,
    INPUT_WAIT_FOR: '0',
    INPUT_REPORT_DIR: join(dir, 'report'),
    ...actionInputs,
  };
  const child = spawn('bash', [join(root, 'scripts/action.sh')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return new Promise<{ code: number | null; stdout: string; output: string; summary: string }>((resolve) => {
    child.on('close', (code) => {
      const output = readFileSync(files.GITHUB_OUTPUT, 'utf8');
      resolve({ code, stdout, output, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') });
    });
  });
}

test('the script reads every input that the action passes', () => {
  const script = readFileSync(join(root, 'scripts/action.sh'), 'utf8');
  expect(inputs.length).toBeGreaterThan(5);
  for (const input of inputs) expect(script).toMatch(new RegExp(`\\$${input}\\b`));
});

test('a run sets the outputs, writes summary and comment, and annotates', async () => {
  const args = '--only\nmodel:*\n--concurrency\n2';
  const { code, stdout, output, summary } = await runAction('good', {
    INPUT_CLAIM: 'models',
    INPUT_ARGS: args,
  });
  expect(code).toBe(0);
  expect(output).toMatch(
    /^exit-code=0\nverdict=conforms\npassed=\d+\nfailed=0\nexercised=\d\nreport=.*report\.json\n$/,
  );
  expect(summary).toContain('## assay: conforms');
  expect(readFileSync(join(folder, 'good/report/comment.md'), 'utf8')).toContain('### assay: conforms');
  expect(stdout).toContain('::notice title=assay%3A conforms::');
});

test('an unreachable target fails the step with the verdict cannot-tell', async () => {
  const { code, output } = await runAction('gone', { INPUT_URL: 'http://127.0.0.1:1/v1' });
  expect(code).toBe(2);
  expect(output).toContain('verdict=cannot-tell');
});

test('bad usage fails the step, and neither outputs nor summary come from an earlier report', async () => {
  const reportDir = join(folder, 'earlier');
  mkdirSync(reportDir);
  const requirements = { pass: 1, fail: 0 };
  const summary = { verdict: 'conforms', requirements, operations: { exercised: 1 } };
  writeFileSync(join(reportDir, 'report.json'), JSON.stringify({ summary }));
  writeFileSync(join(reportDir, 'summary.md'), '## assay: conforms');
  const {
    code,
    output,
    summary: stepSummary,
  } = await runAction('usage', {
    INPUT_ARGS: '--no-such-flag',
    INPUT_REPORT_DIR: reportDir,
  });
  expect({ code, output, stepSummary }).toEqual({ code: 2, output: 'exit-code=2\n', stepSummary: '' });
});

test('a nonexistent path in compare-to is a warning; an existing one, or none, is not', async () => {
  const usage = { INPUT_ARGS: '--no-such-flag' };
  const { stdout } = await runAction('mistyped', { ...usage, INPUT_COMPARE_TO: 'main/100%\nreport.json' });
  expect(stdout).toMatch(
    /^::warning title=assay::compare-to: main\/100%25%0Areport\.json does not exist.*\n$/,
  );
  expect((await runAction('found', { ...usage, INPUT_COMPARE_TO: folder })).stdout).toBe('');
  expect((await runAction('none', usage)).stdout).toBe('');
});
