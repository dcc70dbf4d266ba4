import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

/** Time that the slow service spends in a state, so that nothing completes in the first run. */
const DELAY_SECONDS = 300;
const folder = mkdtempSync(join(tmpdir(), 'assay-resume-'));
const [slow, quick] = [join(folder, 'slow'), join(folder, 'quick')];
/** Unix time in milliseconds. From then on the clock of the slow service gains `SPEEDUP` seconds per second. */
let speedupStart = Number.POSITIVE_INFINITY;
/** A state then lasts six seconds: polls are up to five seconds apart, and one of them must see each state. */
const SPEEDUP = 50;
let services: readonly Reference[] = [];

beforeAll(async () => {
  const clock = () => Date.now() + SPEEDUP * Math.max(0, Date.now() - speedupStart);
  services = await Promise.all([serveReference({ stateDelay: DELAY_SECONDS, clock }), serveReference()]);
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
const models = ['--model', 'chat=chat-large', '--model', 'fine-tuning=chat-small'];
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
    ...models,
    ...scenarioFlags,
  ];
  return runAssay(['run', ...flags, ...more]);
}

function verdicts(dir: string): readonly string[] {
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return report.requirements.map(({ id, verdict }) => `${id} ${verdict}`);
}

async function countLeftovers(service: Reference | undefined): Promise<number> {
  const answers = ['files', 'vector_stores'].map(async (list) => {
    const answer = await fetch(`${service?.url}/${list}`, { headers: { 'vendor-beta': 'assistants=v2' } });
    return ((await answer.json()) as { data: unknown[] }).data.length; // as: a list of the reference
  });
  return (await Promise.all(answers)).reduce((sum, n) => sum + n, 0);
}

test('scenarios that timed out are resumed later, and judged as one run', { timeout: 120_000 }, async () => {
  const [service, other] = services;
  const [first, undisturbed] = await Promise.all([run(service, slow, '--timeout', '2'), run(other, quick)]);
  expect(first.code, first.stderr).toBe(2);
  expect(first.stderr).toContain(`npx assay run --resume ${slow}`);
  expect(verdicts(slow).filter((one) => one.endsWith(' inconclusive'))).not.toEqual([]);
  expect(await countLeftovers(service)).toBeGreaterThan(0);

  const busy = createCassette(join(slow, 'cassette'), traceHeader(), { mode: 'append' });
  const refused = await runAssay(['run', '--resume', slow, '--base-url', service?.url ?? '']);
  busy.finish();
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('is being recorded by process'),
  ]);

  const unconfirmed = await runAssay(['run', '--resume', slow]);
  expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
    2,
    expect.stringContaining(`its target is ${service?.url}. Nothing was sent: add --base-url`),
  ]);

  speedupStart = Date.now();
  const second = await runAssay(['run', '--resume', slow, '--base-url', service?.url ?? '']);
  expect(second.stderr).toContain('resuming ');
  expect(verdicts(slow)).toEqual(verdicts(quick));
  expect(second.code).toBe(undisturbed.code);
  expect(await countLeftovers(service)).toBe(0);

  const third = await runAssay(['run', '--resume', slow, '--base-url', service?.url ?? '']);
  expect([third.code, third.stderr]).toEqual([
    second.code,
    expect.stringContaining('no scenario is waiting'),
  ]);
  expect(verdicts(slow)).toEqual(verdicts(quick));
});
