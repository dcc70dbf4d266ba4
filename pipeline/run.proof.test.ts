import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { configureForReference } from '../drive/configuration/configuration.ts';
import { readSettings } from '../drive/configuration/settings.ts';
import { runScenarios } from '../drive/run.ts';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { isNote, type TraceItem } from '../exchange/trace.ts';
import { modelRoles } from '../reference/model/catalogue.ts';
import { serveReference } from '../reference/service.ts';
import { catalogue } from '../suites/index.ts';
import { findUnexpectedEvidence, findWrongProbes } from '../suites/testing/whole-run-checks.ts';
import { reportOfCassette } from './testing/report-of-cassette.ts';

/** Factor by which the clock of the service is faster than real time. */
const PACE = 5;
const apiKey = 'assay-the-key-of-a-whole-run';

let folder: string;
let service: Awaited<ReturnType<typeof serveReference>>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-whole-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const headers = { authorization: `Bearer ${apiKey}`, 'vendor-beta': 'assistants=v2' };

async function callService<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const json = body && { body: JSON.stringify(body) };
  const type = body && { 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, { method, headers: { ...headers, ...type }, ...json });
  expect(answer.status).toBe(200);
  return (await answer.json()) as T; // as: the caller names the type of the response
}

interface List {
  readonly data: readonly { readonly id: string; readonly status?: string }[];
  readonly has_more?: boolean;
}

async function idsIn(path: string): Promise<readonly string[]> {
  const { data } = await callService<List>('GET', path);
  return data.map(({ id }) => id).toSorted();
}

const listIds = async () =>
  Promise.all(['/assistants?limit=100', '/files', '/vector_stores?limit=100', '/models'].map(idsIn));

/** One way to perform the same run. `stateDelay` is in seconds of the service's clock. */
interface RunKind {
  readonly concurrency: number;
  readonly stateDelay: number;
}

const SIXTEEN_AT_A_TIME: RunKind = { concurrency: 16, stateDelay: 0 };
const ALL_OTHER_KINDS: readonly RunKind[] = [
  { concurrency: 1, stateDelay: 0 },
  // Objects stay in each state for a while, so that short-lived states are seen.
  { concurrency: 16, stateDelay: 3 },
];
const rotation = inject('rotation');
/**
 * `npm run test:thorough` performs both, CI one per commit, and other runs of the tests none.
 * `cli/check.slow.test.ts` performs the first for two families.
 */
const OTHER_KINDS = inject('isThorough')
  ? ALL_OTHER_KINDS.filter((_, n) => rotation === null || n === rotation % ALL_OTHER_KINDS.length)
  : [];

const reportDirOf = ({ concurrency, stateDelay }: RunKind) =>
  join(folder, `report-${concurrency}-${stateDelay}`);

function settingsOf(kind: RunKind) {
  const flags = { reportDir: reportDirOf(kind), concurrency: `${kind.concurrency}` };
  return readSettings({ flags, env: {}, file: null, readText: () => '' });
}

async function runWhole(kind: RunKind) {
  const embedded = { baseUrl: service.url, apiKey, secondKey: null, models: modelRoles, pace: PACE };
  const result = await runScenarios(configureForReference(settingsOf(kind), embedded, null));
  expect(result.crashed).toEqual([]);
  return result;
}

/** A whole run waits for states, and CI runs other tests at the same time. */
const WHOLE_RUN_TIMEOUT_MS = 300_000;

const FINAL = ['completed', 'failed', 'cancelled', 'expired', 'succeeded'];

async function performRun(kind: RunKind) {
  const { concurrency, stateDelay } = kind;
  const directory = join(folder, `files-${concurrency}-${stateDelay}`);
  service = await serveReference({ apiKey, pace: PACE, stateDelay, directory });
  try {
    await callService('POST', '/assistants', { model: modelRoles.assistant, name: 'was there before' });
    await callService('POST', '/vector_stores', { name: 'was there before' });
    const before = await listIds();
    const result = await runWhole(kind);
    const after = await listIds();
    const kept = ['/batches', '/fine_tuning/jobs'].map((path) =>
      callService<List>('GET', `${path}?limit=100`),
    );
    return { before, result, after, kept: (await Promise.all(kept)).map(({ data }) => data) };
  } finally {
    await service.close();
  }
}

async function judgeRun(kind: RunKind, run: Awaited<ReturnType<typeof performRun>>) {
  return { ...run, report: await reportOfCassette(run.result.cassette, settingsOf(kind)) };
}

type PerformedRun = Awaited<ReturnType<typeof judgeRun>>;
const runs = new Map<RunKind, PerformedRun>();

// Each run and each judgement has its own hook, and so its own time limit.
for (const kind of [SIXTEEN_AT_A_TIME, ...OTHER_KINDS]) {
  let driven: Awaited<ReturnType<typeof performRun>> | null = null;
  beforeAll(async () => {
    driven = await performRun(kind);
  }, WHOLE_RUN_TIMEOUT_MS);
  beforeAll(async () => {
    if (driven !== null) runs.set(kind, await judgeRun(kind, driven));
  }, WHOLE_RUN_TIMEOUT_MS);
}

test('a whole run leaves the assistants, files, vector stores and models that were there before, and no others', () => {
  expect(runs.size).toBe(1 + OTHER_KINDS.length);
  for (const { before, after } of runs.values()) expect(after).toEqual(before);
});

test('batches and jobs that cannot be deleted have ended, and are reported as leftovers', () => {
  for (const { kept, result } of runs.values()) {
    const leftoverIds = new Set(result.leftovers.map(({ id }) => id));
    for (const data of kept) {
      expect(data).not.toEqual([]);
      const states = new Set(data.map(({ status }) => status));
      expect([...states].filter((state) => !FINAL.includes(state ?? ''))).toEqual([]);
      expect(data.filter(({ id }) => !leftoverIds.has(id))).toEqual([]);
    }
  }
});

test('a whole run conforms', () => {
  expect(runs.get(SIXTEEN_AT_A_TIME)?.report.summary.verdict).toBe('conforms');
});

test.for(OTHER_KINDS)(
  '$concurrency scenarios at a time, with states of $stateDelay s, give the verdicts of sixteen at a time',
  (kind) => {
    const verdicts = (run: PerformedRun | undefined) =>
      Object.fromEntries(
        (run?.report.requirements ?? []).map(({ id, verdict, reason }) => [id, `${verdict} ${reason ?? ''}`]),
      );
    expect(verdicts(runs.get(kind))).toEqual(verdicts(runs.get(SIXTEEN_AT_A_TIME)));
  },
);

describe('in a whole run', () => {
  const wholeRun = (): PerformedRun => {
    const run = runs.get(SIXTEEN_AT_A_TIME);
    if (run === undefined) throw new Error('the run of sixteen scenarios at a time was not performed');
    return run;
  };

  let items: readonly TraceItem[] = [];
  beforeAll(async () => {
    items = (await readTrace(wholeRun().result.cassette)).items;
  });

  test('no scenario crashes, is blocked or exceeds its deadline, and the run completes', () => {
    const { result } = wholeRun();
    const broken = items.filter((item) => isNote(item) && /crashed|blocked|deadline|stopped/.test(item.note));
    expect({ broken, crashed: result.crashed, stopReason: result.stopReason }).toEqual({
      broken: [],
      crashed: [],
      stopReason: 'completed',
    });
  });

  test('nothing that can be deleted is left', () => {
    const { leftovers } = wholeRun().result;
    expect(
      leftovers.filter(({ remainder }) => remainder.why !== 'not-deletable' || remainder.children.length > 0),
    ).toEqual([]);
  });

  test('a valid probe is accepted and a violation refused', () => {
    expect(findWrongProbes(items)).toEqual([]);
  });

  test('no scenario shows evidence that it is not known to show', async () => {
    expect(findUnexpectedEvidence(await catalogue(), wholeRun().report)).toEqual([]);
  });
});
