// One run against a target that is hostile in another way at each of its addresses: each fault is named, and nothing else suffers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aimAtTarget } from '../drive/configuration.ts';
import { type RunResult, runScenarios } from '../drive/run.ts';
import { readSettings } from '../drive/settings.ts';
import { readTrace } from '../exchange/cassette/read.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import type { Report } from '../reports/report.ts';
import { openRecorded } from './cassettes.ts';
import { judgeRecorded } from './judging.ts';
import { target } from './testing/bad-targets.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const LIST = '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}';
const KEY = 'sk-hostile-target-must-not-pass-it-on';

/** Writes the same piece again and again, as fast as it is read. */
function forever(response: ServerResponse, piece: Buffer | string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

/** Answers with these very bytes in place of HTTP as node writes it, and hangs up. */
function raw(response: ServerResponse, bytes: string): void {
  response.socket?.write(bytes, 'latin1', () => response.socket?.destroySoon());
}

/** Where the next answer that breaks off does so. */
let cut = 0;

interface Hostility {
  /** What is asked: the operation, and the body where it takes one. */
  readonly operation: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** How often; once unless given. */
  readonly times?: number;
  readonly answer: (response: ServerResponse, elsewhere: string) => void;
  /** How the exchange has to end, and what the verdict on the answer has to say. */
  readonly end: RegExp;
  readonly verdict: 'inconclusive' | 'fail';
  readonly names: RegExp;
}

const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'a body without an end': {
    operation: 'listFiles',
    answer: (response) => forever(response.writeHead(200, JSON_TYPE), Buffer.alloc(65_536, ' ')),
    end: /upstream-timeout (not over|more than)/,
    verdict: 'inconclusive',
    names: /^capacity: (not over after|more than \d+ bytes)/,
  },
  'one byte after the other': {
    operation: 'retrieveFile',
    answer: (response) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    },
    end: /upstream-timeout not over after/,
    verdict: 'inconclusive',
    names: /^capacity: not over after/,
  },
  'a status line that never comes': {
    operation: 'listBatches',
    answer: () => {},
    end: /upstream-timeout no status line within/,
    verdict: 'inconclusive',
    names: /^capacity: no status line within/,
  },
  'headers without an end': {
    operation: 'retrieveBatch',
    answer: ({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (socket?.destroyed === false && socket.write(`x-more: ${'a'.repeat(8_000)}\r\n`));
        if (socket?.destroyed === false) socket.once('drain', more);
      };
      more();
    },
    end: /upstream-reset .*header/i,
    verdict: 'inconclusive',
    names: /^protocol: .*header/i,
  },
  'a bomb of gzip': {
    operation: 'listFineTuningJobs',
    answer: (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: content that cannot be decoded from gzip/,
  },
  'arrays within arrays': {
    operation: 'listVectorStores',
    answer: (response) => {
      const depth = 200_000;
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      response.writeHead(200, JSON_TYPE).end(LIST.replace('[]', deep));
    },
    end: /^complete/,
    verdict: 'fail',
    names: /object/,
  },
  'bytes that are not UTF-8': {
    operation: 'retrieveVectorStore',
    answer: (response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    end: /^complete/,
    verdict: 'fail',
    names: /4 bytes that are not UTF-8/,
  },
  'less than its length': {
    operation: 'retrieveThread',
    answer: (response) => raw(response, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'more than its length': {
    operation: 'listMessages',
    answer: (response) =>
      raw(response, `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n${LIST}`),
    end: /^complete|^upstream-reset/,
    verdict: 'fail',
    names: /JSON/,
  },
  'something else than HTTP': {
    operation: 'retrieveMessage',
    answer: (response) => raw(response, 'SSH-2.0-OpenSSH_9.6\r\n'),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'a reset before the first byte': {
    operation: 'listRunSteps',
    answer: (response) => response.socket?.resetAndDestroy(),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'a reset at any byte': {
    operation: 'retrieveVectorStoreFile',
    times: 24,
    answer: (response) => {
      const whole = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`;
      cut = (cut + 37) % whole.length;
      response.socket?.write(whole.slice(0, cut), () => response.socket?.resetAndDestroy());
    },
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'a chunk that is none': {
    operation: 'retrieveRunStep',
    answer: (response) =>
      raw(response, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'redirects in a circle': {
    operation: 'listAssistants',
    answer: (response) => response.writeHead(302, { location: '/v1/assistants' }).end(),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: answered 302/,
  },
  'a redirect to another host': {
    operation: 'retrieveAssistant',
    answer: (response, elsewhere) => response.writeHead(307, { location: elsewhere }).end(),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: answered 307/,
  },
  'a page of HTML for an error': {
    operation: 'retrieveFineTuningJob',
    answer: (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: answered 502/,
  },
  'a refusal of the key': {
    operation: 'listModels',
    answer: (response) => response.writeHead(403, JSON_TYPE).end('{}'),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^authentication: answered 403/,
  },
  'an error that calls itself 200': {
    operation: 'createModeration',
    body: { input: 'Hello' },
    answer: (response) => response.writeHead(200, JSON_TYPE).end('{"error":{"message":"Overloaded."}}'),
    end: /^complete/,
    verdict: 'fail',
    names: /results/,
  },
  'a stream without an end': {
    operation: 'createChatCompletion',
    body: { model: 'any', messages: [{ role: 'user', content: 'Hello' }], stream: true },
    answer: (response) =>
      forever(
        response.writeHead(200, { 'content-type': 'text/event-stream' }),
        `data: {"object":"chat.completion.chunk","choices":[]}\n\n${': still here\n'.repeat(4_000)}`,
      ),
    end: /upstream-timeout (not over|more than)/,
    verdict: 'inconclusive',
    names: /^capacity: /,
  },
};

/** A megabyte of zeros, compressed, and that a thousand times: more than anybody wants to hold. */
const BOMB = Buffer.concat(Array<Buffer>(400).fill(gzipSync(Buffer.alloc(1 << 20, ' '))));

/** A page of a list that always says that there is more; `from` is where the numbers in its ids begin. */
function page(size: number, from: number): string {
  const data = Array.from({ length: size }, (_, n) => ({
    id: `file-${from + n}`,
    created_at: 1_700_000_000,
  }));
  return JSON.stringify({
    object: 'list',
    data,
    first_id: data[0]?.id,
    last_id: data.at(-1)?.id,
    has_more: true,
  });
}

/** The requirement whose verdict names the fault. */
const JUDGED: Readonly<Record<string, string>> = {
  listVectorStores: 'vector_store:#type',
  createModeration: 'moderation:results#required',
  createChatCompletion: 'chat.stream.done-ends-stream',
};

const folder = mkdtempSync(join(tmpdir(), 'assay-hostile-'));
const exchanges = new Map<string, Exchange>();
let result: RunResult;
let report: Report;
let strangers = 0;
let pages = 0;
let memory = 0;

beforeAll(async () => {
  const other = await target((request, response) => {
    strangers += 1;
    request.resume();
    response.end();
  });
  const hostile = await target((request, response) => {
    request.resume();
    const name = decodeURIComponent(String(request.headers['x-hostility'] ?? ''));
    const one = HOSTILITIES[name];
    const { pathname, searchParams } = new URL(request.url ?? '/', other.url);
    if (pathname.includes('/endless/') || pathname.includes('/loops/')) {
      pages += 1;
      const size = Number(searchParams.get('limit') ?? 20);
      response.writeHead(200, JSON_TYPE).end(page(size, pathname.includes('/endless/') ? pages * 100 : 0));
    } else if (one === undefined) response.writeHead(200, JSON_TYPE).end(LIST);
    else one.answer(response, `${other.url}/files`);
  });
  const contract = JSON.stringify(fileURLToPath(new URL('../drive/scenario.ts', import.meta.url)));
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
    const traits = `family: 'models', operations: [], shows: [], cost: ['free'], roles: []`;
    return `export const s${n} = scenario({ name: 'models.s${n}', ${traits}, run: async (stage) => { for (let n = 0; n < ${times}; n++) await stage.call('${operation}', ${input}); } });`;
  });
  const lists = JSON.stringify(
    fileURLToPath(new URL('../suites/generate/lists/scenarios.ts', import.meta.url)),
  );
  const text = [
    `import { scenario } from ${contract};`,
    `import { listScenarios } from ${lists};`,
    ...scenarios,
    `export const endless = listScenarios({ operation: 'listVectorStoreFiles', owner: async () => ({ vector_store_id: 'endless' }) });`,
    `export const loops = listScenarios({ operation: 'listMessageFiles', owner: async () => ({ thread_id: 'x', message_id: 'loops' }) });`,
  ];
  writeFileSync(join(folder, 'own.suite.ts'), text.join('\n'));
  const flags = { baseUrl: hostile.url, reportDir: join(folder, 'report'), timeout: 2, concurrency: 4 };
  const settings = readSettings({ flags, env: { ASSAY_API_KEY: KEY }, file: null, readText: () => '' });
  const watch = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage().rss);
  }, 20);
  result = await runScenarios(aimAtTarget(settings, null), { suites: folder });
  const recorded = await openRecorded([result.cassette]);
  const judged = await judgeRecorded(recorded, {
    settings,
    known: { baseline: null, write: null },
    dialect: null,
    began: null,
    cassette: { shown: result.cassette, relative: null },
  });
  clearInterval(watch);
  recorded.close();
  report = judged.report;
  for (const item of (await readTrace(result.cassette)).items) {
    if (isNote(item)) continue;
    const n = Number(/^models\.s(\d+)$/.exec(item.scenario ?? '')?.[1]);
    const name = Object.keys(HOSTILITIES)[n];
    if (name !== undefined) exchanges.set(name, item);
  }
  await Promise.all([hostile.close(), other.close()]);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.for(Object.entries(HOSTILITIES))('%s is named, and nothing else suffers', ([name, one]) => {
  const exchange = exchanges.get(name);
  expect(`${exchange?.end.how} ${exchange?.end.detail ?? ''}`).toMatch(one.end);
  const id = JUDGED[one.operation] ?? `${one.operation}:answer#json`;
  const found = report.requirements.find((requirement) => requirement.id === id);
  expect(found?.verdict).toBe(one.verdict);
  const said = found?.findings
    .map(({ at, expected, actual }) => `${at} ${expected} ${JSON.stringify(actual)}`)
    .join();
  expect(found?.reason ?? said).toMatch(one.names);
});

test('every scenario finished, in bounded memory, with no defect of our own', () => {
  expect(result).toMatchObject({ stopReason: 'completed', crashed: [] });
  expect(result.scenarios.run).toBe(Object.keys(HOSTILITIES).length + 2);
  expect(
    report.requirements.filter(({ verdict }) => verdict === 'error').map(({ id, reason }) => [id, reason]),
  ).toEqual([]);
  expect(memory).toBeLessThan(1.5e9);
});

test('a list without an end is left, and a cursor that leads back is told', () => {
  // Two orders are walked through in each, twenty pages at most, beside what else is asked of a list.
  expect(pages).toBeLessThan(200);
  const broken = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(broken).toContain('listMessageFiles.page.after');
});

test('no other host hears of us', () => {
  expect(strangers).toBe(0);
});

test('where TLS fails, nobody is reached, and why is told', async () => {
  const plain = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as AddressInfo; // as: a TCP server that listens has one
  const flags = { baseUrl: `https://127.0.0.1:${port}`, reportDir: join(folder, 'tls') };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const { stopReason, message } = await runScenarios(aimAtTarget(settings, null), { suites: folder });
  plain.close();
  expect(stopReason).toBe('target-unreachable');
  expect(message).toMatch(/SSL|TLS/);
});
