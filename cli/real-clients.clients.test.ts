import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { type JudgedClient, renderClientMap } from '../scripts/clients/client-map.ts';
import { CLIENTS, clientArguments, type RealClient } from '../scripts/clients/clients.ts';
import { readReportIn } from './testing/judged-reference.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As deep below `folder` as the sources are below the root: the programs find package manifests by relative paths. */
const sessionDir = join(folder, 'scripts/clients');
const program = join(sessionDir, 'generate-map.js');

interface JudgedSession extends JudgedClient {
  readonly dir: string;
  readonly code: number | null;
}

const sessions = new Map<RealClient, Promise<JudgedSession>>();

/** Judges a session of a client in the first test that needs it. */
function judgeClient(client: RealClient): Promise<JudgedSession> {
  const session = sessions.get(client) ?? judgeSession(client);
  sessions.set(client, session);
  return session;
}

async function judgeSession(client: RealClient): Promise<JudgedSession> {
  const dir = join(folder, client.package.replace('/', '-'));
  const { code } = await runAssay(clientArguments(client, [program], dir));
  return { client, dir, code, report: readReportIn(dir) };
}

function listFindings({ requirements }: Report): readonly string[] {
  return requirements
    .filter(({ verdict }) => ['fail', 'warn', 'excused', 'error'].includes(verdict))
    .map(({ id }) => id)
    .toSorted();
}

/** Packages whose sessions stream a run with tool calls. */
const PACKAGES_WITH_STREAMED_CALLS: readonly string[] = ['openai', 'openai-latest'];
const SHOWN_BY_STREAMED_CALLS = [
  'runs.required-action.tells-calls',
  'runs.stream.call-arguments-are-json',
  'runs.usage.total-is-sum',
];

/** Compiles the sessions once: tsx would slow down the loading of library modules in each of them. */
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
  const { code, report } = await judgeClient(client);
  expect(listFindings(report)).toEqual(client.findings.flatMap(({ ids }) => ids).toSorted());
  // A session that crashed would have fewer findings.
  expect(code).toBe(report.summary.exitCode);
  expect(report.summary.verdict).toBe(client.package === 'openai-v1' ? 'does-not-conform' : 'conforms');
});

test('a failed session exits with a code that no verdict has', () => {
  const session = [program, '--session', '@langchain/openai'];
  const env = { ...process.env, ASSAY_BASE_URL: 'http://127.0.0.1:9' };
  expect(spawnSync(process.execPath, session, { env }).status).toBe(3);
});

test.each(CLIENTS)(
  'the responses that $name receives are judged and break no requirement',
  async (client) => {
    const session = await judgeClient(client);
    const cassette = join(session.dir, 'cassette');
    const dir = `${session.dir}-service`;
    await runAssay(['check', cassette, '--dialect', 'openai', '--report', 'json', '--report-dir', dir]);
    const { requirements } = readReportIn(dir);
    const found = requirements.filter(({ verdict }) => ['fail', 'warn', 'error'].includes(verdict));
    expect(found.map(({ id }) => id)).toEqual([]);
    const verdictOf = (id: string) => requirements.find((one) => one.id === id)?.verdict;
    for (const id of PACKAGES_WITH_STREAMED_CALLS.includes(client.package)
      ? SHOWN_BY_STREAMED_CALLS
      : ['chat.completion:id#type'])
      expect([id, verdictOf(id)]).toEqual([id, 'pass']);
  },
);

test('docs/client-map.md is up to date', async () => {
  const judgedClients = await Promise.all(CLIENTS.map(judgeClient));
  // To fix a difference: npm run generate:clients
  expect(readFileSync('docs/client-map.md', 'utf8')).toBe(renderClientMap(judgedClients));
});
