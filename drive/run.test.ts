import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Note } from '../exchange/trace.ts';
import { readLedger } from './cleanup/resource-ledger.ts';
import { runScenarios } from './run.ts';
import {
  fileService,
  folder,
  isolateRuns,
  listenForTest,
  oneScenario,
  runSuite,
  scenarioText,
  sendJson,
  testConfiguration,
  uploadCall,
  writeSuite,
} from './testing/runs.ts';

isolateRuns();

test('a run records and counts what a scenario sends, reports its progress, and removes what was created', async () => {
  const live = new Map<string, string>();
  const { url } = await listenForTest(fileService(live));
  const { result, exchanges, notes, progress } = await runSuite(testConfiguration(url), {
    suites: writeSuite(oneScenario),
  });
  expect(result).toMatchObject({
    stopReason: 'completed',
    scenarios: { run: 1, skipped: 0 },
    crashed: [],
    leftovers: [],
  });
  expect(exchanges.map(({ request, scenario }) => [request.method, request.target, scenario])).toEqual([
    ['POST', '/v1/files', 'files.own'],
    ['GET', '/v1/files/file-1', 'files.own'],
    ['DELETE', '/v1/files/file-1', 'files.own'],
  ]);
  expect(notes.map(({ note }) => note)).toEqual(['scenario-started', 'scenario-ended']);
  expect(progress.map(({ kind }) => kind)).toEqual(['selected', 'started', 'ended', 'recorded']);
  expect(live.size).toBe(0);
  expect(readLedger(result.ledger).entries).toMatchObject([{ id: 'file-1', state: 'gone', how: 'deleted' }]);
  expect(result.spent.requests).toBe(3);
});

test('a run changes neither the environment nor the exit code of its process, and handles no interrupts', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  const environment = { ...process.env };
  const handlerCount = process.listenerCount('SIGINT');
  const countsDuringRun: number[] = [];
  await runSuite(testConfiguration(url), {
    suites: writeSuite(oneScenario),
    onProgress: () => countsDuringRun.push(process.listenerCount('SIGINT')),
  });
  expect(process.env).toEqual(environment);
  expect(new Set([...countsDuringRun, process.listenerCount('SIGINT')])).toEqual(new Set([handlerCount]));
  expect(process.exitCode).toBeUndefined();
});

test('a run notes why a scenario did not run, stopped early or crashed', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  const text = [
    scenarioText('files.blocked', `await context.need('retrieveFile', { path: { file_id: 'file-none' } });`),
    scenarioText('files.crash', `throw new TypeError('our own defect');`),
    scenarioText('files.costly', '', `cost: ['large'],`),
    scenarioText('files.modelless', `context.model('vision');`),
    scenarioText('files.vision', '', `roles: ['vision'],`),
    scenarioText('chat.other', '', `family: 'chat',`),
    scenarioText('files.auth.listFiles', ''),
  ].join('');
  // Only files.auth.listFiles is known to show requirements, and all of them are filtered out.
  const flags = { skip: 'auth.list-files.*,listFiles:accepts' };
  const { result, notes, exchanges } = await runSuite(testConfiguration(url, flags), {
    suites: writeSuite(text),
  });
  const by = exchanges[0]?.id;
  const others = notes.map(({ after: _, ...note }) => note).filter(({ note }) => !/started|ended/.test(note));
  const obstacle = { kind: 'answered', method: 'GET', path: '/v1/files/file-none', status: 404 };
  expect(others).toEqual(
    expect.arrayContaining([
      { note: 'scenario-skipped', scenario: 'chat.other', reason: 'not-claimed', family: 'chat' },
      { note: 'scenario-skipped', scenario: 'files.costly', reason: 'not-allowed', cost: 'large' },
      {
        note: 'scenario-skipped',
        scenario: 'files.vision',
        reason: 'not-configured',
        missing: { what: 'model', role: 'vision' },
      },
      {
        note: 'scenario-skipped',
        scenario: 'files.auth.listFiles',
        reason: 'filtered',
        option: 'skip',
        globs: ['auth.list-files.*', 'listFiles:accepts'],
      },
      {
        note: 'scenario-skipped',
        scenario: 'files.modelless',
        reason: 'not-configured',
        missing: { what: 'model', role: 'vision' },
      },
      { note: 'scenario-crashed', scenario: 'files.crash', message: 'our own defect' },
      { note: 'blocked', scenario: 'files.blocked', by, obstacle },
      {
        note: 'hint',
        hint: { kind: 'models-found', models: [], without: [{ role: 'vision', refused: [] }], total: 0 },
      },
    ]),
  );
  expect(others).toHaveLength(8);
  expect(result.scenarios).toEqual({ run: 3, skipped: 4, blocked: 1 });
  expect(result.crashed).toEqual([{ scenario: 'files.crash', message: 'our own defect' }]);
});

test('a run replaces the recording of the previous one', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  await runSuite(testConfiguration(url), { suites: writeSuite(oneScenario) });
  const { exchanges } = await runSuite(testConfiguration(url), {
    suites: writeSuite(scenarioText('files.list', `await context.call('listFiles');`)),
  });
  expect(exchanges.map(({ scenario }) => scenario)).toEqual(['files.list']);
});

test('a run adds its cassette and its ledger to its report folder, and nothing to the root of the package', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  const root = fileURLToPath(new URL('..', import.meta.url));
  const entriesBefore = readdirSync(root);
  await runSuite(testConfiguration(url), { suites: writeSuite(oneScenario) });
  expect(readdirSync(root)).toEqual(entriesBefore);
  expect(readdirSync(join(folder, 'report')).toSorted()).toEqual(['cassette', 'ledger.jsonl']);
});

test('two scenarios with the same name are rejected', async () => {
  // The exports of a module need different names.
  const suites = writeSuite(
    scenarioText('files.twice', '') + scenarioText('files.twice', '').replace('sfiles', 'tfiles'),
  );
  const { url } = await listenForTest(fileService(new Map()));
  await expect(runScenarios(testConfiguration(url), { suites })).rejects.toThrow(
    'Two scenarios are named files.twice',
  );
});

test('an interrupt after the end of a run does not reach its receiver', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  const stop = new AbortController();
  const received: string[] = [];
  const receiver = {
    begin: () => void received.push('begin'),
    exchange: () => null,
    note: ({ note }: Note) => void received.push(note),
    end: () => void received.push('end'),
  };
  await runSuite(testConfiguration(url), {
    suites: writeSuite(oneScenario),
    signal: stop.signal,
    receiver,
  });
  stop.abort();
  expect(received).toEqual(['begin', 'scenario-started', 'scenario-ended', 'end']);
});

test('a URL on the origin of the target is downloaded without the key, and one on another port is not requested', async () => {
  const elsewhere: string[] = [];
  const other = await listenForTest((request, response) => {
    elsewhere.push(request.url ?? '');
    response.end();
  });
  const { url } = await listenForTest((_, response) => void response.end('a picture'));
  const origin = new URL(url).origin;
  const text = scenarioText(
    'files.download',
    `await context.download('${origin}/v1/images/1.png?a=b');
     const none = await context.download('${new URL(other.url).origin}/1.png');
     if (none !== null) throw new Error('another origin was contacted');`,
  );
  const { result, exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
  expect(result.crashed).toEqual([]);
  expect(exchanges.map(({ request }) => [request.method, request.target])).toEqual([
    ['GET', '/v1/images/1.png?a=b'],
  ]);
  expect(exchanges[0]?.request.headers.map(([name]) => name.toLowerCase())).not.toContain('authorization');
  expect(exchanges[0]?.response?.body.text).toBe('a picture');
  expect(elsewhere).toEqual([]);
});

test('a blocked scenario waits for its calls in flight, and their objects are removed', async () => {
  const live = new Map<string, string>();
  const handle = fileService(live);
  let uploads = 0;
  const { url } = await listenForTest((request, response) => {
    const isUpload = request.method === 'POST' && request.url === '/v1/files';
    uploads += isUpload ? 1 : 0;
    if (isUpload && uploads === 1) request.resume().on('end', () => sendJson(response, 404, {}));
    else if (isUpload) setTimeout(() => handle(request, response), 100);
    else handle(request, response);
  });
  const text = scenarioText('files.two', `await Promise.all([1, 2].map(async () => { ${uploadCall} }));`);
  const { result } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
  expect(result.leftovers).toEqual([]);
  expect(live.size).toBe(0);
  expect(
    readLedger(result.ledger)
      .entries.map(({ state }) => state)
      .toSorted(),
  ).toEqual(['gone', 'nothing']);
});

test('a call with an unknown input key is an error, not an empty request', async () => {
  const { url } = await listenForTest((_request, response) => sendJson(response, 200, {}));
  const text = scenarioText('files.odd', `await context.call('createModeration', { input: 'x' });`);
  const { exchanges, notes } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
  expect(exchanges).toEqual([]);
  expect(JSON.stringify(notes)).toContain(
    'The call of createModeration has \\"input\\"; it takes path, otherPath, query, body, form, ',
  );
});
