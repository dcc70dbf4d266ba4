import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import { readReportIn } from './testing/judged-reference.ts';
import { type CommandResult, runAssay } from './testing/run-assay.ts';

/** Time that the slow service spends in a state, so that nothing completes in the first run. */
const DELAY_SECONDS = 300;
const folder = mkdtempSync(join(tmpdir(), 'assay-resume-'));
const [slow, quick] = [join(folder, 'slow'), join(folder, 'quick')];
/** Unix time in milliseconds. From then on the clock of the slow service gains `SPEEDUP` seconds per second. */
let speedupStart = Number.POSITIVE_INFINITY;
/** A state then lasts almost six seconds: polls are up to five seconds apart, and one of them must see each state. */
const SPEEDUP = 50;
let services: readonly Reference[] = [];
/** The run against the slow service, until its timeout. */
let firstRun: CommandResult;
let undisturbedRun: CommandResult;

beforeAll(async () => {
  const clock = () => Date.now() + SPEEDUP * Math.max(0, Date.now() - speedupStart);
  services = await Promise.all([serveReference({ stateDelay: DELAY_SECONDS, clock }), serveReference()]);
  const [service, other] = services;
  [firstRun, undisturbedRun] = await Promise.all([run(service, slow, '--timeout', '2'), run(other, quick)]);
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  rmSync(folder, { recursive: true });
});

const claimFlags = [
  '--claim',
  'batches,vector-store-files,fine-tuning',
  '--allow',
  'tokens,batches,training',
];
const modelFlags = ['--model', 'chat=chat-large', '--model', 'fine-tuning=chat-small'];
const scenarios = [
  'batches.mixed',
  'batches.cancelled',
  'vector-store-files.watched',
  'fine-tuning.succeeded',
];
const scenarioFlags = scenarios.flatMap((name) => ['--scenario', name]);

function run(service: Reference | undefined, dir: string, ...more: readonly string[]) {
  const flags = [
    '--base-url',
    service?.url ?? '',
    '--report-dir',
    dir,
    ...claimFlags,
    ...modelFlags,
    ...scenarioFlags,
  ];
  return runAssay(['run', ...flags, ...more]);
}

function readVerdicts(dir: string): readonly string[] {
  return readReportIn(dir).requirements.map(({ id, verdict }) => `${id} ${verdict}`);
}

async function countLeftovers(service: Reference | undefined): Promise<number> {
  const answers = ['files', 'vector_stores'].map(async (list) => {
    const answer = await fetch(`${service?.url}/${list}`, { headers: { 'vendor-beta': 'assistants=v2' } });
    return ((await answer.json()) as { data: unknown[] }).data.length; // as: a list of the reference
  });
  return (await Promise.all(answers)).reduce((sum, n) => sum + n, 0);
}

function resume(...flags: readonly string[]) {
  return runAssay(['run', '--resume', slow, ...flags]);
}

test('a run whose scenarios time out is inconclusive, leaves objects and says how to resume it', async () => {
  expect(firstRun.code, firstRun.stderr).toBe(2);
  expect(firstRun.stderr).toContain(`npx assay run --resume ${slow}`);
  expect(readVerdicts(slow).filter((line) => line.endsWith(' inconclusive'))).not.toEqual([]);
  expect(await countLeftovers(services[0])).toBeGreaterThan(0);
});

test('a run whose cassette is being recorded is not resumed', async () => {
  const recorder = createCassette(join(slow, 'cassette'), traceHeader(), { mode: 'append' });
  const { code, stderr } = await resume('--base-url', services[0]?.url ?? '');
  recorder.finish();
  expect([code, stderr]).toEqual([2, expect.stringContaining('is being recorded by process')]);
});

test('a run is not resumed without its --base-url', async () => {
  const { code, stderr } = await resume();
  const message = `its target is ${services[0]?.url}. Nothing was sent: add --base-url`;
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('scenarios that timed out are resumed once, and judged as one run', async () => {
  speedupStart = Date.now();
  const resumed = await resume('--base-url', services[0]?.url ?? '');
  expect(resumed.stderr).toContain('resuming ');
  expect(readVerdicts(slow)).toEqual(readVerdicts(quick));
  expect(resumed.code).toBe(undisturbedRun.code);
  expect(await countLeftovers(services[0])).toBe(0);

  const again = await resume('--base-url', services[0]?.url ?? '');
  expect([again.code, again.stderr]).toEqual([
    resumed.code,
    expect.stringContaining('no scenario is waiting'),
  ]);
  expect(readVerdicts(slow)).toEqual(readVerdicts(quick));
});
