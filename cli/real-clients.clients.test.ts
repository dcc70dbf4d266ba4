import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { type JudgedClient, renderClientMap } from '../scripts/clients/client-map.ts';
import { CLIENTS, clientArguments, type RealClient } from '../scripts/clients/clients.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const judgedClients: JudgedClient[] = [];

function folderOf(client: RealClient): string {
  return join(folder, client.package.replace('/', '-'));
}

/** The folder is as deep below the root as the sources: the sessions read package manifests by relative paths. */
const sessionDir = join(folder, 'scripts/clients');

function listFindings({ requirements }: Report): readonly string[] {
  return requirements
    .filter(({ verdict }) => ['fail', 'warn', 'excused', 'error'].includes(verdict))
    .map(({ id }) => id)
    .toSorted();
}

const PACKAGES_WITH_RUN_HELPERS: readonly string[] = ['openai', 'openai-latest'];
const READ_BY_RUN_HELPERS = [
  'runs.required-action.tells-calls',
  'runs.stream.call-arguments-are-json',
  'runs.usage.total-is-sum',
];

/** Compiles the sessions once: tsx would load a thousand library modules in each of them. */
beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'dir');
  await build({
    entryPoints: ['scripts/clients/generate-map.ts'],
    outdir: sessionDir,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

test.each(CLIENTS)('$name has exactly its known findings', async (client) => {
  const dir = folderOf(client);
  const { code, stderr } = await runAssay(
    clientArguments(client, [join(sessionDir, 'generate-map.js')], dir),
  );
  // as: its schema is tested elsewhere
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
  judgedClients.push({ client, report });
  expect(listFindings(report)).toEqual(client.findings.flatMap(({ ids }) => ids).toSorted());
  // A session that crashed would have fewer findings.
  expect([code, stderr.includes('Error')]).toEqual([report.summary.exitCode, false]);
  expect(report.summary.verdict).toBe(client.package === 'openai-v1' ? 'does-not-conform' : 'conforms');
});

test('a failed session exits with a code that no verdict has', () => {
  const session = [join(sessionDir, 'generate-map.js'), '--session', '@langchain/openai'];
  const env = { ...process.env, ASSAY_BASE_URL: 'http://127.0.0.1:9' };
  expect(spawnSync(process.execPath, session, { env }).status).toBe(3);
});

test.each(CLIENTS)('the responses that $name receives break no requirement', async (client) => {
  const dir = `${folderOf(client)}-service`;
  const cassette = join(folderOf(client), 'cassette');
  await runAssay(['check', cassette, '--dialect', 'openai', '--report', 'json', '--report-dir', dir]);
  // as: its schema is tested elsewhere
  const { requirements } = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
  const found = requirements.filter(({ verdict }) => ['fail', 'warn', 'error'].includes(verdict));
  expect(found.map(({ id }) => id)).toEqual([]);
  const verdictOf = (id: string) => requirements.find((one) => one.id === id)?.verdict;
  for (const id of PACKAGES_WITH_RUN_HELPERS.includes(client.package)
    ? READ_BY_RUN_HELPERS
    : ['chat.completion:id#type'])
    expect([id, verdictOf(id)]).toEqual([id, 'pass']);
});

test('docs/client-map.md is up to date', () => {
  expect(judgedClients.map(({ client }) => client)).toEqual(CLIENTS);
  // To fix a difference: npm run generate:clients
  expect(readFileSync('docs/client-map.md', 'utf8')).toBe(renderClientMap(judgedClients));
});
