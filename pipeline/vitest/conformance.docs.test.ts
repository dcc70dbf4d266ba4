import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { serveReference } from '../../reference/service.ts';

const runProgram = promisify(execFile);
/** The requirement that the reference breaks; also the name of its fault. */
const BROKEN = 'file:created_at#type';
let project: string;

beforeAll(() => {
  // The project is inside node_modules, so that it finds vitest and our dependencies.
  mkdirSync('node_modules/.cache', { recursive: true });
  project = mkdtempSync(resolve('node_modules/.cache/assay-conformance-'));
  const installed = join(project, 'node_modules/assay');
  cpSync(dirname(dirname(inject('main'))), join(installed, 'dist'), { recursive: true });
  // The package reads its data from its source folders.
  for (const path of [
    'package.json',
    'schemas',
    'cli',
    'drive',
    'judge',
    'proof',
    'exchange',
    'reference',
    'reports',
    'suites',
  ])
    cpSync(path, join(installed, path), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(project, 'vitest.config.js'),
    "export default { test: { include: ['*.test.js'], root: import.meta.dirname, maxWorkers: 1, isolate: false } };",
  );
});

afterAll(() => rmSync(project, { recursive: true }));

interface Assertion {
  readonly fullName: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages: readonly string[];
}

type Tests = ReadonlyMap<string, Assertion>;

const createSuites = (runningUrl: string): Readonly<Record<'started' | 'running' | 'gone', string>> => ({
  started: `
    import { startReference } from 'assay';
    import { conformance } from 'assay/vitest';
    conformance({
      name: 'my server',
      target: async () => {
        const reference = await startReference({ fault: '${BROKEN}' });
        const close = () => reference.close().then(() => console.log('the server is closed'));
        return { url: reference.url, close };
      },
      claim: ['files'],
      skip: ['listFiles:*'],
      reportDir: ${JSON.stringify(join(project, 'report-started'))},
    });
  `,
  running: `
    import { conformance } from 'assay/vitest';
    conformance({
      target: '${runningUrl}',
      claim: ['files', 'images'],
      only: ['file:*', 'createImage:*'],
      reportDir: ${JSON.stringify(join(project, 'report-running'))},
    });
  `,
  gone: `
    import { conformance } from 'assay/vitest';
    conformance({ target: 'http://127.0.0.1:1/v1', claim: ['models'], reportDir: ${JSON.stringify(join(project, 'report-gone'))} });
  `,
});

async function runProject(files: Readonly<Record<string, string>>, key: string) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, `${name}.test.js`), text);
  const results = join(project, 'results.json');
  const args = [
    resolve('node_modules/vitest/vitest.mjs'),
    'run',
    ...['--root', project, '--config', join(project, 'vitest.config.js')],
    ...['--reporter=verbose', '--reporter=json', `--outputFile.json=${results}`],
  ];
  const { ASSAY_API_KEY: _, OPENAI_API_KEY: __, ...outer } = process.env;
  const env = { ...outer, ASSAY_API_KEY: key, NO_COLOR: '1', VITEST: '', CI: 'true' };
  const { stdout, stderr } = await runProgram(process.execPath, args, {
    env,
    cwd: project,
    maxBuffer: 1 << 26,
  }).catch((error: { stdout: string; stderr: string }) => error);
  const {
    testResults,
  }: {
    readonly testResults: readonly {
      readonly name: string;
      readonly assertionResults: readonly Assertion[];
    }[];
  } = JSON.parse(readFileSync(results, 'utf8'));
  const tests = new Map(
    testResults.map(({ name, assertionResults }) => [
      basename(name, '.test.js'),
      new Map(assertionResults.map((one) => [one.title, one])),
    ]),
  );
  return { tests, printed: `${stdout}${stderr}` };
}

let printed = '';
let testsByFile: ReadonlyMap<string, Tests>;
// One vitest for all suites: starting it takes longer than running them.
beforeAll(async () => {
  const key = 'sk-a-key-of-the-conformance-test';
  const reference = await serveReference({ apiKey: key });
  try {
    ({ tests: testsByFile, printed } = await runProject(createSuites(reference.url), key));
  } finally {
    await reference.close();
  }
});

function findTests(file: keyof ReturnType<typeof createSuites>): Tests {
  const tests = testsByFile.get(file);
  if (tests === undefined) throw new Error(`no test of ${file} ran: ${printed}`);
  return tests;
}

const listTitles = (tests: Tests, status: Assertion['status']) =>
  [...tests.values()].filter((one) => one.status === status).map(({ title }) => title);

test('a server that the suite starts fails the tests of what it breaks, with the findings', () => {
  const tests = findTests('started');
  const failed = listTitles(tests, 'failed');
  expect(failed).toContain(BROKEN);
  expect(failed).toContain('conforms');
  expect(tests.get(BROKEN)?.fullName).toBe(`my server files ${BROKEN}`);
  const [message = ''] = tests.get(BROKEN)?.failureMessages ?? [];
  expect(message).toMatch(
    /MUST {2}.*\n.*spec {2}[\s\S]*at {8}[\s\S]*expected {2}[\s\S]*actual {4}[\s\S]*npx assay run .*--no-config /,
  );
  expect(message).not.toContain('dist/');
  expect(listTitles(tests, 'passed').length).toBeGreaterThan(10);
});

test('requirements that `skip` selects have no tests', () => {
  const titles = [...findTests('started').keys()];
  expect(titles.filter((title) => title.startsWith('listFiles:'))).toEqual([]);
});

test('a server that the suite starts is closed at the end', () => {
  expect(printed).toContain('the server is closed');
});

test('a running server passes if it conforms', () => {
  const tests = findTests('running');
  expect(listTitles(tests, 'failed')).toEqual([]);
  expect(tests.get('conforms')?.status).toBe('passed');
  expect(tests.get('file:bytes#type')?.status).toBe('passed');
});

test('a requirement that is not judged is skipped with the reason', () => {
  const tests = findTests('running');
  const skipped = [...listTitles(tests, 'skipped'), ...listTitles(tests, 'pending')];
  expect(skipped.length).toBeGreaterThan(0);
  expect(skipped.every((title) => title.startsWith('createImage:'))).toBe(true);
  expect(printed).toContain('[not-allowed: --allow images]');
});

test('a server that cannot be reached fails the last test, and nothing else', () => {
  const tests = findTests('gone');
  expect(listTitles(tests, 'failed')).toEqual(['conforms']);
  expect(listTitles(tests, 'passed')).toEqual([]);
  expect(tests.get('conforms')?.failureMessages[0]).toContain('Nothing answers at http://127.0.0.1:1/v1');
});
