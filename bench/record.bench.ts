// The recorder compared with plain http-proxy and mitmdump: rates, latency, delay of stream events, and memory.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CpuMeter, cpuRow } from './cpu.ts';
import { type Load, load } from './load.ts';
import { type ServerProcess, startServer } from './process.ts';
import { compareWithPeer, takeTurns } from './rounds.ts';
import type { Row } from './row.ts';

const BODY = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'word '.repeat(60) }] });
const CHAT: Omit<Load, 'url'> = {
  method: 'POST',
  body: BODY,
  headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench-0123456789abcdef' },
};
const FIXED = 2_000;

export async function rows(report: (row: Row) => void): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'assay-bench-record-'));
  const upstream = await startServer(['--import', 'tsx', 'bench/processes/upstream.ts']);
  const bare = await startServer(['--import', 'tsx', 'bench/processes/bare-proxy.ts', upstream.url]);
  const recorder = await startRecorder(upstream.url, join(root, 'rates'));
  try {
    for (const row of await rate(bare, recorder)) report(row);
    for (const row of [fixedRate, latency, delay])
      report(await row(upstream.url, bare.url, originOf(recorder)));
    report(await againstMitmdump(upstream.url, originOf(recorder), join(root, 'flows')));
  } finally {
    await recorder.stop();
    await bare.stop();
  }
  report(await upload(upstream.url, join(root, 'upload')));
  report(await many(upstream.url, join(root, 'many')));
  await upstream.stop();
  rmSync(root, { recursive: true, force: true });
}

function startRecorder(url: string, cassette: string): Promise<ServerProcess> {
  return startServer(['dist/cli/main.js', 'record', '--base-url', url, '--cassette', cassette], {
    quiet: true,
  });
}

const originOf = ({ url }: ServerProcess) => new URL(url).origin;
const chatAt = (origin: string) => `${origin}/v1/chat/completions`;

async function rate(bare: ServerProcess, recorder: ServerProcess): Promise<Row[]> {
  const [ours, theirs] = [new CpuMeter(recorder), new CpuMeter(bare)];
  const perSecond = (server: ServerProcess, cpu: CpuMeter) => () =>
    cpu.over(() => load({ ...CHAT, url: chatAt(originOf(server)) }));
  const peer = 'http-proxy alone';
  const contenders = [
    { name: 'recorder', measure: perSecond(recorder, ours) },
    { name: peer, measure: perSecond(bare, theirs) },
  ] as const;
  const row = await compareWithPeer('requests while recording', 'req/s', contenders, { goal: '>= 0.7' });
  return [row, cpuRow('while recording', ours, theirs, peer)];
}

function fixedRate(_upstream: string, bare: string, recorder: string): Promise<Row> {
  const perSecond = (origin: string) => async () =>
    (await load({ ...CHAT, url: chatAt(origin), rate: FIXED, seconds: 3 })).perSecond;
  const contenders = [
    { name: 'recorder', measure: perSecond(recorder) },
    { name: 'http-proxy alone', measure: perSecond(bare) },
  ] as const;
  return compareWithPeer(`${FIXED} requests per second while recording`, 'req/s', contenders, {
    goal: '>= 0.95',
  });
}

/** Measured as a rate over one connection, because autocannon's percentiles are whole milliseconds. */
async function latency(_upstream: string, bare: string, recorder: string): Promise<Row> {
  const measure = (origin: string) => async () => median(await oneByOne(chatAt(origin), 2_000));
  const [ours, theirs] = await takeTurns([
    { name: 'recorder', measure: measure(recorder) },
    { name: 'http-proxy alone', measure: measure(bare) },
  ]);
  const added = (ours?.median ?? Number.NaN) - (theirs?.median ?? Number.NaN);
  return {
    what: 'p50 added at one connection',
    value: added,
    unit: 'ms',
    ratio: null,
    against: `http-proxy alone ${theirs?.median.toFixed(3)} ms`,
    goal: '<= 0.2',
  };
}

/** How late events arrive, with and without the recorder. */
async function delay(upstream: string, bare: string, recorder: string): Promise<Row> {
  const measure = (origin: string) => async () =>
    percentile(await eventDelays(`${origin}/v1/stream`, 4), 0.99);
  const [ours, theirs, alone] = await takeTurns(
    [
      { name: 'recorder', measure: measure(recorder) },
      { name: 'upstream', measure: measure(upstream) },
      { name: 'http-proxy alone', measure: measure(bare) },
    ],
    5,
  );
  return {
    what: 'p99 by which a stream event comes later',
    value: Math.max(0, (ours?.median ?? Number.NaN) - (theirs?.median ?? Number.NaN)),
    unit: 'ms',
    ratio: null,
    against: `straight ${theirs?.median.toFixed(3)} ms, http-proxy alone ${alone?.median.toFixed(3)} ms`,
    goal: '<= 2',
  };
}

async function againstMitmdump(upstream: string, recorder: string, flows: string): Promise<Row> {
  const goal = '>= 8';
  const what = 'requests while recording, compared with mitmdump';
  if (!isInstalled('mitmdump')) {
    return {
      what,
      value: Number.NaN,
      unit: 'req/s',
      ratio: null,
      against: 'mitmdump is not installed: skipped',
      goal: null,
    };
  }
  const { spawn } = await import('node:child_process');
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn(
    'mitmdump',
    ['-q', '-w', flows, '--mode', `reverse:${upstream}`, '--listen-port', `${port}`],
    { stdio: 'ignore' },
  );
  try {
    await answers(`http://127.0.0.1:${port}/v1/models`);
    const perSecond = (origin: string) => async () =>
      (await load({ ...CHAT, url: chatAt(origin) })).perSecond;
    const contenders = [
      { name: 'recorder', measure: perSecond(recorder) },
      { name: 'mitmdump -w', measure: perSecond(`http://127.0.0.1:${port}`) },
    ] as const;
    return await compareWithPeer(what, 'req/s', contenders, { goal });
  } finally {
    child.kill();
  }
}

async function upload(upstream: string, cassette: string): Promise<Row> {
  const recorder = await startRecorder(upstream, cassette);
  const outgoing = request(`${recorder.url}/files`, { method: 'POST' });
  const answered = new Promise((resolve, reject) =>
    outgoing.on('response', (res) => resolve(res.resume())).on('error', reject),
  );
  const piece = Buffer.alloc(1 << 20, 'assay ');
  await pipeline(
    Readable.from(
      (function* () {
        for (let n = 0; n < 512; n += 1) yield piece;
      })(),
    ),
    outgoing,
  );
  await answered;
  const value = recorder.peak();
  await recorder.stop();
  return {
    what: 'peak memory during a 512 MB upload',
    value,
    unit: 'MB',
    ratio: null,
    against: null,
    goal: '<= 150',
  };
}

async function many(upstream: string, cassette: string): Promise<Row> {
  const recorder = await startRecorder(upstream, cassette);
  const count = 100_000;
  await Promise.all(Array.from({ length: 16 }, () => oneByOne(chatAt(originOf(recorder)), count / 16)));
  const value = recorder.peak();
  await recorder.stop();
  return {
    what: `peak memory after ${count} exchanges`,
    value,
    unit: 'MB',
    ratio: null,
    against: null,
    goal: '<= 200',
  };
}

/** Latencies of requests one after the other, in milliseconds. */
async function oneByOne(url: string, count: number): Promise<number[]> {
  const { Agent } = await import('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const taken: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent, headers: { ...CHAT.headers } }, (res) => {
        res.on('end', resolve).resume();
      });
      outgoing.on('error', reject).end(BODY);
    });
    taken.push(performance.now() - began);
  }
  agent.destroy();
  return taken;
}

/** Transit time of each event of `count` concurrent streams, in milliseconds. */
async function eventDelays(url: string, streams: number): Promise<number[]> {
  const delays: number[] = [];
  const one = () =>
    new Promise<void>((resolve, reject) => {
      request(url, (res) => {
        res.setEncoding('utf8');
        res.on('data', (text: string) => {
          const now = performance.timeOrigin + performance.now();
          for (const [, at] of text.matchAll(/"at":([\d.]+)/g)) delays.push(now - Number(at));
        });
        res.on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  await Promise.all(Array.from({ length: streams }, one));
  return delays;
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const ok = await fetch(url).then(
      () => true,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const median = (figures: readonly number[]) => percentile(figures, 0.5);

function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
