import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { readSettings } from '../drive/configuration/settings.ts';
import type { Baseline } from '../judge/baseline/baseline-file.ts';
import { run } from './run.ts';
import { startSamplingServer } from './testing/sampling-server.ts';

const RUNS = 20;
const rotation = inject('rotation');
/** CI tries every fifth run, beginning with one that depends on the commit. */
const isTried = (run: number) => rotation === null || run % 5 === rotation % 5;
const folder = mkdtempSync(join(tmpdir(), 'assay-twenty-runs-'));
const baseline = join(folder, 'baseline.json');
afterAll(() => rmSync(folder, { recursive: true }));

async function runAgainst(seed: number, isFirst: boolean) {
  const server = await startSamplingServer(seed);
  const flags = {
    baseUrl: server.url,
    claim: ['chat', 'listModels', 'retrieveModel'],
    model: { chat: 'small-1' },
    report: [],
    reportDir: join(folder, `${seed}`),
    ...(!isFirst && { baseline }),
  };
  const readText = (path: string) => readFileSync(path, 'utf8');
  const settings = readSettings({ flags, env: {}, file: null, readText });
  try {
    return await run(settings, isFirst ? { baselineWrite: baseline, baselineReason: 'known' } : {});
  } finally {
    await server.close();
  }
}

test('later runs pass with the baseline of the first', async () => {
  await runAgainst(0, true);
  const { known } = JSON.parse(readFileSync(baseline, 'utf8')) as Baseline; // as: our own file
  expect(known.flatMap(({ id, intermittent }) => (intermittent ? [id] : []))).toEqual([
    'chat.reply.json-mode-is-json',
    'chat.reply.nothing-after-stop',
    'chat.stream.forced-function-called',
    'chat.stream.required-calls-some',
    'chat.stream.same-created',
    'chat.tools.forced-function-called',
    'chat.tools.required-calls-some',
  ]);
  for (const seed of Array.from({ length: RUNS }, (_, i) => i + 1).filter(isTried)) {
    const { report } = await runAgainst(seed, false);
    const open = report.requirements.filter(
      ({ level, verdict, baseline: reason }) =>
        reason === null && (verdict === 'fail' || (verdict === 'inconclusive' && level === 'MUST')),
    );
    expect([seed, report.summary.exitCode, open.map(({ id }) => id)]).toEqual([seed, 0, []]);
  }
}, 300_000);
