import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configureForTarget } from '../drive/configuration/configuration.ts';
import { readSettings } from '../drive/configuration/settings.ts';
import { type DriveResult, runScenarios } from '../drive/run.ts';
import { readTrace } from '../exchange/cassette/cassette.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import { reportOfCassette } from '../pipeline/testing/report-of-cassette.ts';
import { startUpstream } from '../proxy/testing/upstream.ts';
import type { Report } from '../reports/report.ts';
import { EMPTY_LIST, HOSTILITIES, JSON_TYPE, listPageFrom } from './testing/hostilities.ts';

const KEY = 'sk-hostile-target-must-not-pass-it-on';

/** The requirement that shows a hostility, by operation; for other operations it is `answer#json`. */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  createModeration: 'moderation:results#required',
  createChatCompletion: 'chat.stream.done-ends-stream',
};

const folder = mkdtempSync(join(tmpdir(), 'assay-hostile-'));
const exchanges = new Map<string, Exchange>();
let result: DriveResult;
let report: Report;
let foreignRequests = 0;
let pageCount = 0;
let memoryBefore = 0;
let peakMemory = 0;

beforeAll(async () => {
  const other = await startUpstream((request, response) => {
    foreignRequests += 1;
    request.resume();
    response.end();
  });
  const hostile = await startUpstream((request, response) => {
    request.resume();
    const name = decodeURIComponent(String(request.headers['x-hostility'] ?? ''));
    const one = HOSTILITIES[name];
    const { pathname, searchParams } = new URL(request.url ?? '/', other.url);
    if (pathname.includes('/endless/') || pathname.includes('/loops/')) {
      pageCount += 1;
      const size = Number(searchParams.get('limit') ?? 20);
      response
        .writeHead(200, JSON_TYPE)
        .end(listPageFrom(size, pathname.includes('/endless/') ? pageCount * 100 : 0));
    } else if (one === undefined) response.writeHead(200, JSON_TYPE).end(EMPTY_LIST);
    else one.answer(response, `${other.url}/files`);
  });
  const contract = JSON.stringify(fileURLToPath(new URL('../drive/scenario/scenario.ts', import.meta.url)));
  const scenarios = Object.entries(HOSTILITIES).map(([name, { operation, body, times = 1 }], n) => {
    const path = {
      file_id: 'x',
      batch_id: 'x',
      vector_store_id: 'x',
      thread_id: 'x',
      message_id: 'x',
      run_id: 'x',
      step_id: 'x',
      assistant_id: 'x',
      fine_tuning_job_id: 'x',
    };
    const input = JSON.stringify({
      path,
      headers: { 'x-hostility': encodeURIComponent(name) },
      ...(body && { body }),
    });
    const traits = `family: 'models', operations: [], cost: ['free'], roles: []`;
    return `export const s${n} = scenario({ name: 'models.s${n}', ${traits}, run: async (context) => { for (let n = 0; n < ${times}; n++) await context.call('${operation}', ${input}); } });`;
  });
  const lists = JSON.stringify(
    fileURLToPath(new URL('../suites/generate/list-scenarios.ts', import.meta.url)),
  );
  const text = [
    `import { scenario } from ${contract};`,
    `import { listScenarios } from ${lists};`,
    ...scenarios,
    `export const endless = listScenarios({ operation: 'listVectorStoreFiles', owner: async () => ({ vector_store_id: 'endless' }) });`,
    `export const loops = listScenarios({ operation: 'listMessageFiles', owner: async () => ({ thread_id: 'x', message_id: 'loops' }) });`,
  ];
  writeFileSync(join(folder, 'own.suite.ts'), text.join('\n'));
  // Scenarios run one at a time, so that a huge response does not consume the timeout of another. Only two responses
  // use up the timeout; the others must be read before it expires, even on a busy machine.
  const flags = { baseUrl: hostile.url, reportDir: join(folder, 'report'), timeout: 6, concurrency: 1 };
  const settings = readSettings({ flags, env: { ASSAY_API_KEY: KEY }, file: null, readText: () => '' });
  memoryBefore = process.memoryUsage().rss;
  const memoryTimer = setInterval(() => {
    peakMemory = Math.max(peakMemory, process.memoryUsage().rss);
  }, 20);
  result = await runScenarios(configureForTarget(settings, null), { suites: folder });
  report = await reportOfCassette(result.cassette, settings);
  clearInterval(memoryTimer);
  for (const item of (await readTrace(result.cassette)).items) {
    if (isNote(item)) continue;
    const n = Number(/^models\.s(\d+)$/.exec(item.scenario ?? '')?.[1]);
    const name = Object.keys(HOSTILITIES)[n];
    if (name !== undefined) exchanges.set(name, item);
  }
  await Promise.all([hostile.close(), other.close()]);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.for(Object.entries(HOSTILITIES))('%s is reported with its cause', ([name, one]) => {
  const exchange = exchanges.get(name);
  expect(`${exchange?.end.how} ${exchange?.end.detail ?? ''}`).toMatch(one.end ?? /^complete/);
  const id = REQUIREMENTS[one.operation] ?? `${one.operation}:answer#json`;
  const found = report.requirements.find((requirement) => requirement.id === id);
  expect(found?.verdict).toBe(one.verdict ?? 'inconclusive');
  const findingWords = found?.findings
    .map(({ at, expected, actual }) => `${at} ${expected} ${JSON.stringify(actual)}`)
    .join();
  expect(found?.reason ?? findingWords).toMatch(one.words);
});

test('every scenario finishes in bounded memory, and no requirement hits a defect of assay', () => {
  expect(result).toMatchObject({ stopReason: 'completed', crashed: [] });
  expect(result.scenarios.run).toBe(Object.keys(HOSTILITIES).length + 2);
  expect(
    report.requirements.filter(({ verdict }) => verdict === 'error').map(({ id, reason }) => [id, reason]),
  ).toEqual([]);
  expect(peakMemory - memoryBefore).toBeLessThan(2e9);
});

test('an endless list is abandoned', () => {
  // Each list is read in two orders, at most twenty pages each, in addition to its other requests.
  expect(pageCount).toBeGreaterThan(40);
  expect(pageCount).toBeLessThan(200);
});

test('a cursor that leads back is reported', () => {
  const broken = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(broken).toContain('listMessageFiles.page.after');
});

test('no redirect to another host is followed', () => {
  expect(foreignRequests).toBe(0);
});

test('if TLS fails, no request is sent, and the cause is reported', async () => {
  let requests = 0;
  const plain = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as AddressInfo; // as: a TCP server that listens has a port
  const flags = { baseUrl: `https://127.0.0.1:${port}`, reportDir: join(folder, 'tls') };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const { stopReason, stop } = await runScenarios(configureForTarget(settings, null), { suites: folder });
  plain.close();
  expect(stopReason).toBe('target-unreachable');
  expect(requests).toBe(0);
  expect(stop).toMatchObject({ strange: null, detail: expect.stringMatching(/SSL|TLS/) });
});
