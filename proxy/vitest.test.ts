import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestUpstream, upstream } from './testing/upstream.ts';

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
  const calls = paths.map((path) => `await (await fetch(service.url + '${path}')).text()`).join(' + ');
  writeFileSync(
    join(root, 'inner.test.ts'),
    `import { expect } from 'vitest';
import { cassetteTest } from ${JSON.stringify(resolve('proxy/vitest.ts'))};
const test = cassetteTest({ dir: ${JSON.stringify(join(root, 'cassettes'))}, baseUrl: process.env.INNER_URL });
test('asks, and is answered', async ({ service }) => {
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
  service = await upstream((req, res) => res.end(`answer to ${req.url}`));
  const { url } = service;
  write(['/a', '/b']);
  expect(await inner({ INNER_URL: url })).toContain('Record it: run this test with ASSAY_RECORD=1');
  expect(await inner({ INNER_URL: url, ASSAY_RECORD: '1' })).toContain('1 passed');
  expect(readdirSync(join(root, 'cassettes/inner'))).toEqual(['asks-and-is-answered']);
  await service.close();
  service = null;
  expect(await inner({ INNER_URL: url })).toContain('1 passed');
  write(['/a']);
  expect(await inner({ INNER_URL: url })).toContain('Never asked for  e2  GET /v1/b');
  write(['/a', '/b', '/c']);
  expect(await inner({ INNER_URL: url })).toContain('No recorded exchange answers  GET /v1/c');
});
