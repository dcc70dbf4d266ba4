import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { startUpstream, type TestUpstream } from '../testing/upstream.ts';

const run = promisify(execFile);
let root: string;
let service: TestUpstream | null = null;
beforeEach(() => {
  // The folder is within the project, so that the inner run finds vitest.
  mkdirSync('node_modules/.cache', { recursive: true });
  root = mkdtempSync(resolve('node_modules/.cache/assay-vitest-'));
});
afterEach(async () => {
  await service?.close();
  service = null;
  rmSync(root, { recursive: true, force: true });
});

function writeTestFile(file: string, paths: readonly string[], more = '', before = ''): void {
  const calls = paths.map((path) => `await ask(service.url + '${path}')`).join(' + ');
  writeFileSync(
    join(root, file),
    `import { expect } from 'vitest';
import { cassetteTest } from ${JSON.stringify(join(dirname(inject('main')), '../pipeline/vitest/conformance.js'))};
const test = cassetteTest({ dir: ${JSON.stringify(join(root, 'cassettes'))}, baseUrl: process.env.INNER_URL${more} });
async function ask(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error('the client was answered ' + answer.status);
  return answer.text();
}
test('asks, and is answered (by all)', async ({ service }) => {
  ${before}
  expect(${calls}).toContain('answer');
});
`,
  );
}

async function runInnerVitest(environment: Record<string, string>): Promise<string> {
  writeFileSync(
    join(root, 'vitest.config.ts'),
    // Compiled files are loaded by node itself, like those of an installed package.
    `export default { test: { include: ['*.test.ts'], root: import.meta.dirname, maxWorkers: 1, isolate: false,
  server: { deps: { external: [/\\/\\.compiled\\//] } } } };`,
  );
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  const env = { ...process.env, ...environment, NO_COLOR: '1', VITEST: '' };
  const args = [vitest, 'run', '--root', root, '--config', join(root, 'vitest.config.ts')];
  const { stdout, stderr } = await run(process.execPath, args, { env, cwd: root }).catch((error) => error);
  return `${stdout}${stderr}`;
}

test('a test records on request, replays otherwise, and fails for missing, unused, stale or unreadable recordings', async () => {
  service = await startUpstream((req, res) => res.end(`answer to ${req.url}`));
  const { url } = service;
  const files = ['same', 'fewer', 'more', 'stale', 'damaged'];
  for (const file of files)
    writeTestFile(`${file}.test.ts`, ['stale', 'damaged'].includes(file) ? ['/a'] : ['/a', '/b']);
  const recorded = await runInnerVitest({ INNER_URL: url, ASSAY_RECORD: '1' });
  expect(recorded).toContain('5 passed');
  for (const file of files)
    expect(readdirSync(join(root, 'cassettes', file))).toEqual(['asks-and-is-answered-by-all']);
  await service.close();
  service = null;

  writeTestFile('fewer.test.ts', ['/a']);
  writeTestFile('more.test.ts', ['/a', '/b', '/c']);
  writeTestFile('unrecorded.test.ts', ['/a', '/b']);
  writeTestFile('stale.test.ts', ['/a'], ", maxAge: '0m'");
  const damage = `(await import('node:fs')).truncateSync(service.cassette + '/cassette.jsonl');`;
  writeTestFile('damaged.test.ts', ['/a'], '', damage);
  const replayed = await runInnerVitest({ INNER_URL: url });
  expect(replayed).toMatch(/5 failed \| 1 passed/);
  expect(replayed).toContain(
    "Record it: ASSAY_RECORD=1 npx vitest run unrecorded.test.ts -t 'asks, and is answered \\(by all\\)'",
  );
  expect(replayed).toMatch(/✓ same\.test\.ts/);
  expect(replayed).toContain('Never requested  e2  GET /v1/b');
  expect(replayed).toContain('Requests whose recording cannot be read: 1');
  // The client fails first; it only knows that its request was refused.
  expect(replayed).toContain('the client was answered 501');
  expect(replayed).toContain(
    [
      'No recorded exchange answers  GET /v1/c',
      `      cassette  ${join(root, 'cassettes/more/asks-and-is-answered-by-all')}`,
      '      nearest   e1  GET /v1/a',
      '      at        path',
      '      recorded  "/v1/a"',
      '      asked     "/v1/c"',
      "      again     ASSAY_RECORD=1 npx vitest run more.test.ts -t 'asks, and is answered \\(by all\\)'",
    ].join('\n'),
  );
  expect(replayed).toMatch(
    /A recording is older than 0m, or of unknown age\n +oldest +e1 of \S+stale\S+ which was recorded at \S+\n +again +ASSAY_RECORD=1 npx vitest run stale\.test\.ts/,
  );
});
