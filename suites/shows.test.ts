import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configureForReference } from '../drive/configuration/configuration.ts';
import { readSettings } from '../drive/configuration/settings.ts';
import { type DriveResult, runScenarios } from '../drive/run.ts';
import { globCovers } from '../drive/scenario/glob.ts';
import { isScenario, type Scenario } from '../drive/scenario/scenario.ts';
import { readTrace } from '../exchange/cassette/read/cassette.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { judgeTrace } from '../judge/judge.ts';
import { modelRoles } from '../reference/model/catalogue.ts';
import { startReference } from '../reference/service.ts';
import { catalogue } from './index.ts';

/** Families whose scenarios show all that there is; the others are on their way. */
const complete: ReadonlySet<string> = new Set([
  'assistants',
  'assistants-v1',
  'assistants-v2',
  'assistant-files',
  'threads',
  'messages',
  'message-files',
  'lists',
  'models',
  'files',
  'chat',
  'completions',
  'audio',
  'images',
  'runs',
  'run-steps',
  'moderations',
  'fine-tuning',
  'batches',
]);

let folder = '';
let result: DriveResult;
let items: readonly TraceItem[];
let header: TraceHeader;
let scenarios: readonly Scenario[];

/** One whole run against the reference, which every test here looks at. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-shows-'));
  const apiKey = 'assay-the-key-of-this-test';
  const reference = await startReference({ apiKey, pace: 5 });
  try {
    const settings = readSettings({ flags: { reportDir: folder }, env: {}, file: null, readText: () => '' });
    result = await runScenarios(
      configureForReference(settings, { baseUrl: reference.url, apiKey, models: modelRoles, pace: 5 }, null),
    );
  } finally {
    await reference.close();
  }
  ({ header, items } = await readTrace(result.cassette));
  scenarios = (await catalogue()).scenarios.filter(isScenario);
});

afterAll(() => rmSync(folder, { recursive: true }));

test('every scenario ends without a defect, and nothing that can be deleted is left', () => {
  const broken = items.filter((item) => isNote(item) && /crashed|blocked|deadline|stopped/.test(item.note));
  expect({ broken, crashed: result.crashed, stopReason: result.stopReason }).toEqual({
    broken: [],
    crashed: [],
    stopReason: 'completed',
  });
  expect(
    result.leftovers.filter(
      ({ remainder }) => remainder.why !== 'not-deletable' || remainder.children.length > 0,
    ),
  ).toEqual([]);
});

test('a valid probe is accepted and a violation refused', () => {
  const wrong = items.flatMap((item) => {
    if (isNote(item) || item.probe === null) return [];
    const status = item.response?.status ?? 0;
    const accepted = status >= 200 && status <= 299;
    // Whether a file is fit for work is seen when the work is done.
    if (accepted && item.probe.control === null && /^body\.\w*file/.test(item.probe.pointer)) return [];
    if (accepted === (item.probe.side === 'valid') && status < 500) return [];
    return [{ probe: item.probe.id, status, sent: item.request.body.text?.slice(0, 300) }];
  });
  expect(wrong).toEqual([]);
});

test('a scenario shows what it declares, and what is shown in its family is declared', async () => {
  const all = await catalogue();
  const seen = new Map(scenarios.map(({ name }) => [name, observed(all, ofScenario(name))]));
  const vain = scenarios
    .filter(({ name }) => ofScenario(name).length > 0)
    .flatMap(({ name, shows }) => shows.map((glob) => ({ name, glob })))
    .filter(({ name, glob }) => !seen.get(name)?.some((id) => globCovers(glob, id)));
  const served = new Set(
    scenarios.flatMap(({ name, shows }) =>
      (seen.get(name) ?? []).filter((id) => shows.some((glob) => globCovers(glob, id))),
    ),
  );
  const unserved = observed(all, items, complete).filter((id) => !served.has(id));
  expect({ vain, unserved }).toEqual({ vain: [], unserved: [] });
});

function ofScenario(name: string): readonly TraceItem[] {
  return items.filter((item) => !isNote(item) && item.scenario === name);
}

/** Ids of the requirements (of some families) and choices that a trace has evidence for. */
function observed(
  all: Awaited<ReturnType<typeof catalogue>>,
  trace: readonly TraceItem[],
  families: ReadonlySet<string> | null = null,
): readonly string[] {
  const { requirements, choices } = judgeTrace(all, header, trace);
  const judged = requirements.filter(
    ({ observations, family }) => observations > 0 && (families === null || families.has(family)),
  );
  const taken = choices.filter(
    ({ id, taken: alternatives }) =>
      alternatives.length > 0 && (families === null || families.has(id.split('.')[0] ?? '')),
  );
  return [...judged, ...taken].map(({ id }) => id);
}
