// The script behind action.yml, executed as a runner would.
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
  // Where an installed action has the built command.
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  const main = JSON.stringify(pathToFileURL(inject('main')).href);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'dist/cli/main.js'), `import(${main});\n`);
});

afterAll(() => rmSync(folder, { recursive: true }));

function act(name: string, given: Record<string, string>) {
  const dir = join(folder, name);
  mkdirSync(dir);
  const files = { GITHUB_OUTPUT: join(dir, 'output'), GITHUB_STEP_SUMMARY: join(dir, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const empty = Object.fromEntries(inputs.map((input) => [input, '']));
  const own = { ...empty, INPUT_WAIT_FOR: '0', INPUT_REPORT_DIR: join(dir, 'report'), ...given };
  const env = { PATH: process.env['PATH'] ?? '', GITHUB_ACTION_PATH: folder, ...files, ...own };
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

test('the script takes every input that the action passes', () => {
  const script = readFileSync(join(root, 'scripts/action.sh'), 'utf8');
  expect(inputs.length).toBeGreaterThan(5);
  for (const input of inputs) expect(script).toContain(`$${input}`);
});

test('a run fills outputs and summary, and annotates', async () => {
  const args = '--only\nmodel:*\n--concurrency\n2';
  const { code, stdout, output, summary } = await act('good', { INPUT_CLAIM: 'models', INPUT_ARGS: args });
  expect(code).toBe(0);
  expect(output).toMatch(/^verdict=conforms\npassed=\d+\nfailed=0\nexercised=\d\nreport=.*report\.json\n$/);
  expect(summary).toContain('## assay: conforms');
  expect(stdout).toContain('::notice title=assay%3A conforms::');
});

test('a target that is not there fails the step, with a report that says so', async () => {
  const { code, output } = await act('gone', { INPUT_URL: 'http://127.0.0.1:1/v1' });
  expect(code).toBe(2);
  expect(output).toContain('verdict=cannot-tell');
});

test('bad usage fails the step, and nothing of an earlier report is printed', async () => {
  const { code, output } = await act('usage', { INPUT_ARGS: '--no-such-flag' });
  expect({ code, output }).toEqual({ code: 2, output: '' });
});
