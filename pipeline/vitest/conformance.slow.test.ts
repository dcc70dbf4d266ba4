// The conformance suite in a vitest of its own, in a project that has the package installed.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startReference } from '../../reference/service.ts';

const run = promisify(execFile);
/** A fault of the reference, and the requirement that it breaks. */
const FAULT = 'files-time-as-text';
const BROKEN = 'file:created_at#type';
let project: string;

beforeAll(() => {
  // Within our own, so that it finds vitest and the packages that we depend on.
  mkdirSync('node_modules/.cache', { recursive: true });
  project = mkdtempSync(resolve('node_modules/.cache/assay-conformance-'));
  const installed = join(project, 'node_modules/assay');
  cpSync(dirname(dirname(inject('main'))), join(installed, 'dist'), { recursive: true });
  // The suites with their data: recordings, exclusions, states, expected evidence.
  for (const path of ['package.json', 'schemas', 'judge/dialects', 'suites'])
    cpSync(path, join(installed, path), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(project, 'vitest.config.js'),
    "export default { test: { include: ['*.test.js'], root: import.meta.dirname } };",
  );
});

afterAll(() => rmSync(project, { recursive: true }));

interface Assertion {
  readonly fullName: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages: readonly string[];
}

/** The tests of a project with this one file, by their titles, and what its reporter prints. */
async function suite(text: string, environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(project, 'conformance.test.js'), text);
  const results = join(project, 'results.json');
  const args = [
    resolve('node_modules/vitest/vitest.mjs'),
    'run',
    ...['--root', project, '--config', join(project, 'vitest.config.js')],
    ...['--reporter=verbose', '--reporter=json', `--outputFile.json=${results}`],
  ];
  const { ASSAY_API_KEY: _, OPENAI_API_KEY: __, ...outer } = process.env;
  const env = { ...outer, ...environment, NO_COLOR: '1', VITEST: '', CI: 'true' };
  const { stdout, stderr } = await run(process.execPath, args, {
    env,
    cwd: project,
    maxBuffer: 1 << 26,
  }).catch((error: { stdout: string; stderr: string }) => error);
  const {
    testResults,
  }: { readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[] } = JSON.parse(
    readFileSync(results, 'utf8'),
  );
  const tests = new Map(
    testResults.flatMap(({ assertionResults }) => assertionResults).map((one) => [one.title, one]),
  );
  return { tests, printed: `${stdout}${stderr}` };
}

const statuses = (tests: ReadonlyMap<string, Assertion>, status: Assertion['status']) =>
  [...tests.values()].filter((one) => one.status === status).map(({ title }) => title);

describe('a server that the suite starts', () => {
  test('fails the tests of what it breaks, with the findings, and is closed at the end', async () => {
    const { tests, printed } = await suite(`
      import { startReference } from 'assay';
      import { conformance } from 'assay/vitest';
      conformance({
        name: 'my server',
        target: async () => {
          const reference = await startReference({ fault: '${FAULT}' });
          const close = () => reference.close().then(() => console.log('the server is closed'));
          return { url: reference.url, close };
        },
        claim: ['files'],
        skip: ['listFiles:*'],
        reportDir: ${JSON.stringify(join(project, 'report'))},
      });
    `);
    const failed = statuses(tests, 'failed');
    expect(failed).toContain(BROKEN);
    expect(failed).toContain('conforms');
    expect(tests.get(BROKEN)?.fullName).toBe(`my server files ${BROKEN}`);
    const [message = ''] = tests.get(BROKEN)?.failureMessages ?? [];
    expect(message).toMatch(
      /MUST {2}.*\n.*spec {2}[\s\S]*at {8}[\s\S]*expected {2}[\s\S]*actual {4}[\s\S]*npx assay run/,
    );
    expect(message).not.toContain('dist/');
    expect(statuses(tests, 'passed').length).toBeGreaterThan(10);
    expect([...tests.keys()].filter((title) => title.startsWith('listFiles:'))).toEqual([]);
    expect(printed).toContain('the server is closed');
  });
});

describe('a server that runs', () => {
  test('passes where it conforms; what is not judged is skipped with the reason', async () => {
    const key = 'sk-a-key-of-the-conformance-test';
    const reference = await startReference({ apiKey: key });
    try {
      const { tests, printed } = await suite(
        `
        import { conformance } from 'assay/vitest';
        conformance({
          target: '${reference.url}',
          claim: ['files', 'images'],
          only: ['file:*', 'createImage:*'],
          reportDir: ${JSON.stringify(join(project, 'report'))},
        });
      `,
        { ASSAY_API_KEY: key },
      );
      expect(statuses(tests, 'failed')).toEqual([]);
      expect(tests.get('conforms')?.status).toBe('passed');
      expect(tests.get('file:bytes#type')?.status).toBe('passed');
      const skipped = [...statuses(tests, 'skipped'), ...statuses(tests, 'pending')];
      expect(skipped.length).toBeGreaterThan(0);
      expect(skipped.every((title) => title.startsWith('createImage:'))).toBe(true);
      expect(printed).toContain('[not-allowed: --allow images]');
    } finally {
      await reference.close();
    }
  });

  test('one that cannot be reached fails the last test, and nothing else', async () => {
    const { tests } = await suite(`
      import { conformance } from 'assay/vitest';
      conformance({ target: 'http://127.0.0.1:1/v1', claim: ['models'], reportDir: ${JSON.stringify(join(project, 'report'))} });
    `);
    expect(statuses(tests, 'failed')).toEqual(['conforms']);
    expect(statuses(tests, 'passed')).toEqual([]);
    expect(tests.get('conforms')?.failureMessages[0]).toContain('Nothing answers at http://127.0.0.1:1/v1');
  });
});
