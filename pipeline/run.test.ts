import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configureForReference } from '../drive/configuration/configuration.ts';
import { readSettings } from '../drive/configuration/settings.ts';
import { runScenarios } from '../drive/run.ts';
import { modelRoles } from '../reference/model/catalogue.ts';
import { startReference } from '../reference/service.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import { openRecordedTraffic } from './recorded-traffic.ts';
import { reportOfJudgedTrace } from './report/make-report.ts';

/** As the embedded service has it: scenarios wait for its next second a fifth of ours. */
const PACE = 5;
const apiKey = 'assay-the-key-of-a-whole-run';

let folder: string;
let service: Awaited<ReturnType<typeof startReference>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-whole-'));
  service = await startReference({ apiKey, pace: PACE, directory: folder });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const headers = { authorization: `Bearer ${apiKey}`, 'vendor-beta': 'assistants=v2' };

async function ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const json = body && { body: JSON.stringify(body) };
  const type = body && { 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, { method, headers: { ...headers, ...type }, ...json });
  expect(answer.status).toBe(200);
  return (await answer.json()) as T; // as: the reference answers what it is asked
}

interface List {
  readonly data: readonly { readonly id: string; readonly status?: string }[];
  readonly has_more?: boolean;
}

/** Every id that the list of a path holds. */
async function ids(path: string): Promise<readonly string[]> {
  const { data } = await ask<List>('GET', path);
  return data.map(({ id }) => id).toSorted();
}

const lists = async () =>
  Promise.all(['/assistants?limit=100', '/files', '/vector_stores?limit=100', '/models'].map(ids));

/** The verdicts of a whole run. */
async function whole(concurrency: number) {
  const flags = { reportDir: join(folder, `report-${concurrency}`), concurrency: `${concurrency}` };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const embedded = { baseUrl: service.url, apiKey, models: modelRoles, pace: PACE };
  const result = await runScenarios(configureForReference(settings, embedded, null));
  expect(result.crashed).toEqual([]);
  const recorded = await openRecordedTraffic([result.cassette]);
  try {
    const judged = await judgeRecorded(recorded, { dialect: null });
    const { report } = reportOfJudgedTrace(judged, recorded, {
      configuration: settings,
      known: { baseline: null, write: null },
      began: null,
      cassette: { shown: result.cassette, relative: null },
    });
    return { report, leftovers: result.leftovers };
  } finally {
    recorded.close();
  }
}

const FINAL = ['completed', 'failed', 'cancelled', 'expired', 'succeeded'];

type WholeRun = Awaited<ReturnType<typeof whole>>;
let listed: { readonly before: Lists; readonly between: Lists; readonly after: Lists };
let [concurrent, sequential]: WholeRun[] = [];

/** Ids by list. */
type Lists = Awaited<ReturnType<typeof lists>>;

// A hook for each run, so that each has the time limit for itself.
beforeAll(async () => {
  const model = modelRoles.assistant;
  await ask('POST', '/assistants', { model, name: 'was there before' });
  await ask('POST', '/vector_stores', { name: 'was there before' });
  const before = await lists();
  concurrent = await whole(16);
  listed = { before, between: await lists(), after: [] };
});
beforeAll(async () => {
  sequential = await whole(1);
  listed = { ...listed, after: await lists() };
});

test('a whole run leaves the target as it was', async () => {
  expect(listed.between).toEqual(listed.before);
  expect(listed.after).toEqual(listed.before);
});

test('what cannot be deleted has ended and is named', async () => {
  const leftovers = [concurrent, sequential].flatMap((run) => run?.leftovers ?? []);
  const named = new Set(leftovers.map(({ id }) => id));
  for (const path of ['/batches', '/fine_tuning/jobs']) {
    const { data } = await ask<List>('GET', `${path}?limit=100`);
    expect(data).not.toEqual([]);
    const states = new Set(data.map(({ status }) => status));
    expect([...states].filter((state) => !FINAL.includes(state ?? ''))).toEqual([]);
    expect(data.filter(({ id }) => !named.has(id))).toEqual([]);
  }
});

test('scenarios one at a time give the verdicts of sixteen at a time', () => {
  const verdicts = (run: WholeRun | undefined) =>
    run?.report.requirements.map(({ id, verdict, reason }) => ({ id, verdict, reason }));
  expect(verdicts(sequential)).toEqual(verdicts(concurrent));
  expect(concurrent?.report.summary.verdict).toBe('conforms');
});
