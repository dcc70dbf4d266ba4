import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/read.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type Note, type TraceItem } from '../exchange/trace.ts';
import { aimAtTarget, type RunConfiguration } from './configuration.ts';
import { readLedger } from './ledger.ts';
import { type Progress, plan, type RunOptions, type RunResult, runScenarios } from './run.ts';
import { readSettings } from './settings.ts';

let folder = '';
let closers: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-run-test-'));
});

afterEach(async () => {
  for (const close of closers) await close();
  closers = [];
  rmSync(folder, { recursive: true });
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(answer: Answer): Promise<{ url: string; die: () => Promise<unknown> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  const die = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  closers.push(die);
  return { url: `http://127.0.0.1:${port}/v1`, die };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** A target with files in memory, and nothing else. */
function files(live: Map<string, string>): Answer {
  let made = 0;
  return (request, response) => {
    const id = /^\/v1\/files\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    request.resume().on('end', () => {
      if (request.method === 'POST' && request.url === '/v1/files') {
        made += 1;
        live.set(`file-${made}`, '');
        json(response, 200, { id: `file-${made}`, object: 'file' });
      } else if (request.method === 'DELETE' && id !== undefined) {
        json(response, live.delete(id) ? 200 : 404, { id, object: 'file', deleted: true });
      } else if (id !== undefined) json(response, live.has(id) ? 200 : 404, { id });
      else json(response, request.url?.startsWith('/v1/files') ? 200 : 404, { object: 'list', data: [] });
    });
  };
}

function configuration(url: string, flags: Record<string, unknown> = {}): RunConfiguration {
  const all = { baseUrl: url, reportDir: join(folder, 'report'), claim: 'files', ...flags };
  return aimAtTarget(
    readSettings({
      flags: all,
      env: { ASSAY_API_KEY: 'sk-the-secret-key-of-the-run' },
      file: null,
      readText: () => '',
    }),
    null,
  );
}

/** A suite of its own, in a file of its own. */
function suite(text: string): string {
  const contract = JSON.stringify(fileURLToPath(new URL('./scenario.ts', import.meta.url)));
  const suites = mkdtempSync(join(folder, 'suites-'));
  writeFileSync(join(suites, 'own.suite.ts'), `import { scenario } from ${contract};\n${text}`);
  return suites;
}

async function run(
  settings: RunConfiguration,
  options: RunOptions = {},
): Promise<{ result: RunResult; exchanges: Exchange[]; notes: Note[]; progress: Progress[] }> {
  const progress: Progress[] = [];
  const result = await runScenarios(settings, {
    ...options,
    onProgress: (one) => {
      progress.push(one);
      options.onProgress?.(one);
    },
  });
  const { items } = await readTrace(result.cassette);
  const exchanges = items.filter((item: TraceItem): item is Exchange => !isNote(item));
  return { result, exchanges, notes: items.filter(isNote), progress };
}

/** The text of a scenario. */
function written(name: string, run: string, more = ''): string {
  const traits = `family: 'files', operations: [], shows: ['${name}.rule'], cost: ['free'], roles: []`;
  return `export const s${name.replace(/\W/g, '')} = scenario({ name: '${name}', ${traits}, ${more} run: async (stage) => { ${run} } });\n`;
}

const upload = `const form = [{ name: 'purpose', value: 'batch' }, { name: 'file', file: Buffer.from('{}'), filename: stage.tag, type: 'x/y' }];
  const made = await stage.need('createFile', { form });`;
const one = written(
  'files.own',
  `${upload} await stage.call('retrieveFile', { path: { file_id: made.text('/id') } });`,
);

test('records what a scenario sends, and removes what it made', async () => {
  const live = new Map<string, string>();
  const { url } = await listen(files(live));
  const environment = { ...process.env };
  const handlers = process.listenerCount('SIGINT');
  const during: number[] = [];
  const { result, exchanges, notes, progress } = await run(configuration(url), {
    suites: suite(one),
    onProgress: () => during.push(process.listenerCount('SIGINT')),
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
  expect(progress.map(({ kind }) => kind)).toEqual(['selected', 'started', 'ended']);
  expect(live.size).toBe(0);
  expect(readLedger(result.ledger).entries).toMatchObject([{ id: 'file-1', state: 'gone', how: 'deleted' }]);
  expect(JSON.stringify(exchanges)).not.toContain('the-secret-key');
  expect(result.spent.requests).toBe(3);
  expect(process.env).toEqual(environment);
  // Who handles an interrupt is the caller's business, while it runs and after.
  expect([...during, process.listenerCount('SIGINT')]).toEqual([handlers, handlers, handlers, handlers]);
  expect(process.exitCode).toBeUndefined();
});

test('notes why a scenario did not run, stopped short or broke', async () => {
  const { url } = await listen(files(new Map()));
  const text = [
    written('files.blocked', `await stage.need('retrieveFile', { path: { file_id: 'file-none' } });`),
    written('files.crash', `throw new TypeError('our own defect');`),
    written('files.costly', '', `cost: ['large'],`),
    written('files.keyless', `stage.model('vision');`),
    written('files.rolled', '', `roles: ['vision'],`),
    written('chat.other', '', `family: 'chat',`),
    written('files.skipped', ''),
  ].join('');
  const flags = { skip: 'files.skipped.*' };
  const { result, notes, exchanges } = await run(configuration(url, flags), { suites: suite(text) });
  const by = exchanges[0]?.id;
  const told = notes.map(({ after: _, ...note }) => note).filter(({ note }) => !/started|ended/.test(note));
  expect(told).toEqual(
    expect.arrayContaining([
      { note: 'scenario-skipped', scenario: 'chat.other', reason: 'not-claimed', detail: 'family chat' },
      { note: 'scenario-skipped', scenario: 'files.costly', reason: 'not-allowed', detail: '--allow large' },
      {
        note: 'scenario-skipped',
        scenario: 'files.rolled',
        reason: 'not-configured',
        detail: 'model role vision',
      },
      {
        note: 'scenario-skipped',
        scenario: 'files.skipped',
        reason: 'filtered',
        detail: '--skip files.skipped.*',
      },
      {
        note: 'scenario-skipped',
        scenario: 'files.keyless',
        reason: 'not-configured',
        detail: 'model role vision',
      },
      { note: 'scenario-crashed', scenario: 'files.crash', message: 'our own defect' },
      { note: 'blocked', scenario: 'files.blocked', by, message: 'GET /v1/files/file-none answered 404' },
    ]),
  );
  expect(told).toHaveLength(7);
  expect(result.scenarios).toEqual({ run: 3, skipped: 4, blocked: 1 });
  expect(result.crashed).toEqual([{ scenario: 'files.crash', message: 'our own defect' }]);
});

describe('a target that cannot be tested', () => {
  test('nothing listening: the run is over before it began', async () => {
    const { url, die } = await listen(() => {});
    await die();
    closers = [];
    const { result, exchanges, notes } = await run(configuration(url), { suites: suite(one) });
    expect(result).toMatchObject({ stopReason: 'target-unreachable', scenarios: { run: 0 } });
    expect(result.message).toContain(`Nothing answers at ${url}`);
    expect([exchanges.length, notes.at(-1)?.note]).toEqual([0, 'stopped']);
  });

  test('dies in mid-run: what was recorded stays, and nothing more is asked', async () => {
    const { url, die } = await listen((request, response) => {
      files(new Map())(request, response);
      if (request.url === '/v1/files/last') void die();
    });
    closers = [];
    const text =
      written(
        'files.a',
        `${upload} await stage.call('retrieveFile', { path: { file_id: 'last' } });
        for (;;) await stage.call('listFiles');`,
      ) + written('files.b', `for (;;) await stage.call('listFiles');`);
    const { result, exchanges, notes } = await run(configuration(url, { concurrency: 1 }), {
      suites: suite(text),
    });
    expect(result.stopReason).toBe('target-died');
    expect(notes.find(({ note }) => note === 'stopped')).toMatchObject({ reason: 'target-died' });
    expect(exchanges[0]?.response?.status).toBe(200);
    expect(result.leftovers).toMatchObject([{ operation: 'createFile', id: 'file-1' }]);
    expect(notes.map((note) => ('scenario' in note ? note.scenario : null))).not.toContain('files.b');
  });

  test('401 to everything blocks the scenario and is no reason to stop', async () => {
    const { url } = await listen((_request, response) => json(response, 401, { error: {} }));
    const { result, exchanges } = await run(configuration(url), { suites: suite(one) });
    expect(result).toMatchObject({ stopReason: 'completed', scenarios: { blocked: 1 }, leftovers: [] });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([401]);
  });

  test('half JSON and a reset are exchanges like any other', async () => {
    const { url } = await listen((request, response) => {
      if (request.url === '/v1/models') return json(response, 200, {});
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id": "fi', () => response.socket?.resetAndDestroy());
    });
    const text = written('files.half', `await stage.call('listFiles'); await stage.call('listFiles');`);
    const { result, exchanges } = await run(configuration(url), { suites: suite(text) });
    expect(result.stopReason).toBe('completed');
    expect(exchanges.map(({ end, response }) => [end.how, response?.body.text])).toEqual([
      ['upstream-reset', '{"id": "fi'],
      ['upstream-reset', '{"id": "fi'],
    ]);
  });
});

describe('limits', () => {
  test('a request budget ends the run, but not the clean-up', async () => {
    const live = new Map<string, string>();
    const { url } = await listen(files(live));
    const text = written('files.endless', `${upload} for (;;) await stage.call('listFiles');`);
    const { result, exchanges } = await run(configuration(url, { maxRequests: 5 }), { suites: suite(text) });
    expect(result).toMatchObject({ stopReason: 'budget', message: '--max-requests 5 is spent' });
    expect([exchanges.length, live.size]).toEqual([6, 0]);
  });

  test('tokens that answers name count', async () => {
    const { url } = await listen((_request, response) =>
      json(response, 200, { usage: { total_tokens: 40 } }),
    );
    const text = written('files.tokens', `for (;;) await stage.call('listFiles');`);
    const { result } = await run(configuration(url, { maxTokens: 100 }), { suites: suite(text) });
    expect(result).toMatchObject({ stopReason: 'budget', spent: { tokens: 120, requests: 3 } });
  });

  test('429 is honoured and the repeat noted', async () => {
    let asked = 0;
    const { url } = await listen((request, response) => {
      if (request.url !== '/v1/files' || asked++ > 0) return json(response, 200, {});
      response.writeHead(429, { 'retry-after': '0' }).end();
    });
    const text = written('files.patient', `await stage.need('listFiles');`);
    const { exchanges, notes } = await run(configuration(url), { suites: suite(text) });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([429, 200]);
    const [first, again] = exchanges.map(({ id }) => id);
    const retry = notes.find(({ note }) => note === 'retry');
    expect(retry).toMatchObject({ exchange: again, of: first, reason: 'HTTP 429, waited 0 s' });
  });

  test('an interrupt hangs up, cleans up and closes', async () => {
    const live = new Map<string, string>();
    const stop = new AbortController();
    const { url } = await listen((request, response) => {
      if (request.url === '/v1/files/slow') stop.abort();
      else files(live)(request, response);
    });
    const text = written(
      'files.slow',
      `${upload} await stage.call('retrieveFile', { path: { file_id: 'slow' } });`,
    );
    const { result, exchanges } = await run(configuration(url), { suites: suite(text), signal: stop.signal });
    expect(result).toMatchObject({ stopReason: 'interrupted', leftovers: [] });
    expect(exchanges.find(({ request }) => request.target.endsWith('slow'))?.end.how).toBe('client-abort');
    expect(live.size).toBe(0);
  });

  test('an interrupt before the start is one too', async () => {
    const { url } = await listen(files(new Map()));
    const { result } = await run(configuration(url), { suites: suite(one), signal: AbortSignal.abort() });
    expect(result.stopReason).toBe('interrupted');
  });

  test('a state that never settles ends with its deadline', async () => {
    const { url } = await listen((_request, response) => json(response, 200, { status: 'validating' }));
    const text = written(
      'files.slow',
      `await stage.poll('listFiles', {}, (json) => json.status === 'done');`,
    );
    const { notes } = await run(configuration(url, { timeout: 0.2 }), { suites: suite(text) });
    expect(notes.find(({ note }) => note === 'deadline')).toMatchObject({
      scenario: 'files.slow',
      state: 'validating',
    });
  });
});

test('a run takes the place of the one before, and leaves nothing beside the sources', async () => {
  const { url } = await listen(files(new Map()));
  const root = fileURLToPath(new URL('..', import.meta.url));
  const before = readdirSync(root);
  await run(configuration(url), { suites: suite(one) });
  const { exchanges } = await run(configuration(url), {
    suites: suite(written('files.list', `await stage.call('listFiles');`)),
  });
  expect(exchanges).toHaveLength(1);
  expect(readdirSync(root)).toEqual(before);
  expect(readdirSync(join(folder, 'report')).toSorted()).toEqual(['cassette', 'ledger.jsonl']);
});

test('two scenarios of one name are our defect', async () => {
  const suites = suite(written('files.twice', '') + written('files.twice', '').replace('sfiles', 'tfiles'));
  const { url } = await listen(files(new Map()));
  await expect(runScenarios(configuration(url), { suites })).rejects.toThrow(
    'Two scenarios are named files.twice',
  );
});

test('shards together run every scenario once', async () => {
  const suites = suite(Array.from({ length: 12 }, (_, i) => written(`files.s${i}`, '')).join(''));
  const shards = await Promise.all(
    ['1/3', '2/3', '3/3'].map((shard) => plan(configuration('http://127.0.0.1:1', { shard }), suites)),
  );
  const names = shards.flatMap(({ run: selected }) => selected.map(({ name }) => name));
  expect(names.toSorted()).toEqual(Array.from({ length: 12 }, (_, i) => `files.s${i}`).toSorted());
  expect(shards.every(({ run: selected }) => selected.length < 12)).toBe(true);
});
