import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestUpstream, testUpstream } from '../testing/upstream.ts';

const run = promisify(execFile);
let root: string;
let service: TestUpstream | null = null;
beforeEach(() => {
  // Within the project, so that the inner run finds vitest.
  mkdirSync('node_modules/.cache', { recursive: true });
  root = mkdtempSync(resolve('node_modules/.cache/assay-vitest-'));
});
afterEach(async () => {
  await service?.close();
  service = null;
  rmSync(root, { recursive: true, force: true });
});

function write(paths: readonly string[]): void {
  const calls = paths.map((path) => `await ask(service.url + '${path}')`).join(' + ');
  writeFileSync(
    join(root, 'inner.test.ts'),
    `import { expect } from 'vitest';
import { cassetteTest } from ${JSON.stringify(resolve('proxy/adapters/vitest.ts'))};
const test = cassetteTest({ dir: ${JSON.stringify(join(root, 'cassettes'))}, baseUrl: process.env.INNER_URL });
async function ask(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error('the client was answered ' + answer.status);
  return answer.text();
}
test('asks, and is answered (by all)', async ({ service }) => {
  expect(${calls}).toContain('answer');
});
`,
  );
  writeFileSync(
    join(root, 'vitest.config.ts'),
    "export default { test: { include: ['*.test.ts'], root: import.meta.dirname } };",
  );
}

async function inner(environment: Record<string, string>): Promise<string> {
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  const env = { ...process.env, ...environment, NO_COLOR: '1', VITEST: '' };
  const args = [vitest, 'run', '--root', root, '--config', join(root, 'vitest.config.ts')];
  const { stdout, stderr } = await run(process.execPath, args, { env, cwd: root }).catch((error) => error);
  return `${stdout}${stderr}`;
}

test('a test records when asked to, replays otherwise, and fails on what is missing or left over', {
  timeout: 120_000,
}, async () => {
  service = await testUpstream((req, res) => res.end(`answer to ${req.url}`));
  const { url } = service;
  write(['/a', '/b']);
  expect(await inner({ INNER_URL: url })).toContain(
    "Record it: ASSAY_RECORD=1 npx vitest run inner.test.ts -t 'asks, and is answered \\(by all\\)'",
  );
  expect(await inner({ INNER_URL: url, ASSAY_RECORD: '1' })).toContain('1 passed');
  expect(readdirSync(join(root, 'cassettes/inner'))).toEqual(['asks-and-is-answered-by-all']);
  await service.close();
  service = null;
  expect(await inner({ INNER_URL: url })).toContain('1 passed');
  write(['/a']);
  expect(await inner({ INNER_URL: url })).toContain('Never asked for  e2  GET /v1/b');
  write(['/a', '/b', '/c']);
  const missed = await inner({ INNER_URL: url });
  // The client fails first, and knows only that it was refused.
  expect(missed).toContain('the client was answered 501');
  expect(missed).toContain(
    [
      'No recorded exchange answers  GET /v1/c',
      `      cassette  ${join(root, 'cassettes/inner/asks-and-is-answered-by-all')}`,
      '      nearest   e1  GET /v1/a',
      '      at        path',
      '      recorded  "/v1/a"',
      '      asked     "/v1/c"',
      "      again     ASSAY_RECORD=1 npx vitest run inner.test.ts -t 'asks, and is answered \\(by all\\)'",
    ].join('\n'),
  );
});
