// aimock is a third-party server that stores uploaded files. Each of its failures was compared with the specification:
// reports/samples/targets/README.md.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, expect, test } from 'vitest';
import { readSettings } from '../drive/configuration/settings.ts';
import type { Report } from '../reports/report.ts';
import { run } from './run.ts';

const FIXTURES = new URL('../reports/samples/targets/aimock.fixtures.json', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'assay-public-server-'));
const baseline = join(folder, 'baseline.json');
afterAll(() => rmSync(folder, { recursive: true }));

/** Each run has a new server, without state from an earlier run. */
async function runOnNewServer(
  name: string,
  flags: object,
  output: Parameters<typeof run>[1],
): Promise<Report> {
  const server = new LLMock({ port: 0, logLevel: 'silent' });
  server.loadFixtureFile(FIXTURES.pathname);
  const baseUrl = await server.start();
  const allFlags = {
    baseUrl,
    claim: ['chat', 'files'],
    model: { chat: 'gpt-4o' },
    report: ['json'],
    reportDir: join(folder, name),
    ...flags,
  };
  const readText = (path: string) => readFileSync(path, 'utf8');
  try {
    return (await run(readSettings({ flags: allFlags, env: {}, file: null, readText }), output)).report;
  } finally {
    await server.stop();
  }
}

const listFailures = ({ requirements }: Report) =>
  requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);

test('a public server has the same failures in two runs, and passes with a baseline of the first', async () => {
  const first = await runOnNewServer('first', {}, { baselineWrite: baseline, baselineReason: 'known' });
  expect(listFailures(first)).toContain('chat.completion:system_fingerprint#required');
  const second = await runOnNewServer('second', { baseline }, {});
  expect([second.summary.exitCode, listFailures(second)]).toEqual([0, listFailures(first)]);
}, 300_000);
