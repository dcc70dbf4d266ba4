import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findFreePort } from '../proxy/testing/free-port.ts';
import { waitForPort } from '../scripts/wait-for-port.ts';
import { generateLoad, type LoadOptions } from './load.ts';
import { type ServerProcess, startAssay, startPeer } from './process.ts';
import { CpuMeter, compareWithPeer, cpuRow, measureInRounds, median, percentile } from './rounds.ts';
import { absoluteRow, type Row } from './rows.ts';
import { measureTimingErrors } from './stream-timing.ts';

const BODY = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'word '.repeat(60) }] });
const CHAT: Omit<LoadOptions, 'url'> = {
  method: 'POST',
  body: BODY,
  headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench-0123456789abcdef' },
};
/** Requests per second, fewer than every contender can serve. */
const FIXED_RATE = 2_000;
const PEER = 'http-proxy alone';

export async function* rows(root: string): AsyncGenerator<Row> {
  const upstream = await startPeer('upstream');
  yield* peerRows(upstream.url, root);
  yield await measureUpload(upstream.url, join(root, 'upload'));
  yield await measureManyExchanges(upstream.url, join(root, 'many'));
}

async function* peerRows(upstream: string, root: string): AsyncGenerator<Row> {
  const bare = await startPeer('bare-proxy', upstream);
  const recorder = await startRecorder(upstream, join(root, 'rates'));
  yield* await measureRate(bare, recorder);
  yield await measureFixedRate(bare.url, originOf(recorder));
  yield await measureLatency(bare.url, originOf(recorder));
  yield await measureDelay(upstream, bare.url, originOf(recorder));
  yield await compareWithMitmdump(upstream, originOf(recorder), join(root, 'flows'));
  for (const server of [recorder, bare]) await server.stop();
}

function startRecorder(url: string, cassette: string): Promise<ServerProcess> {
  return startAssay(['record', '--base-url', url, '--cassette', cassette], { quiet: true });
}

const originOf = ({ url }: ServerProcess) => new URL(url).origin;
const chatAt = (origin: string) => `${origin}/v1/chat/completions`;

async function measureRate(bare: ServerProcess, recorder: ServerProcess): Promise<Row[]> {
  const [ours, theirs] = [new CpuMeter(recorder), new CpuMeter(bare)];
  const measure = (server: ServerProcess, cpu: CpuMeter) => () =>
    cpu.measure(() => generateLoad({ ...CHAT, url: chatAt(originOf(server)) }));
  const contenders = { recorder: measure(recorder, ours), [PEER]: measure(bare, theirs) };
  const row = await compareWithPeer('requests while recording', 'req/s', contenders, { goal: '>= 0.7' });
  return [row, cpuRow('while recording', ours, theirs, PEER)];
}

function measureFixedRate(bare: string, recorder: string): Promise<Row> {
  const measure = (origin: string) => async () =>
    (await generateLoad({ ...CHAT, url: chatAt(origin), rate: FIXED_RATE, seconds: 3 })).perSecond;
  const contenders = { recorder: measure(recorder), [PEER]: measure(bare) };
  const what = `${FIXED_RATE} requests per second while recording`;
  return compareWithPeer(what, 'req/s', contenders, { goal: '>= 0.95' });
}

/** Times single requests over one connection, because autocannon's percentiles are whole milliseconds. */
async function measureLatency(bare: string, recorder: string): Promise<Row> {
  const measure = (origin: string) => async () => median(await measureLatencies(chatAt(origin), 2_000));
  const turns = await measureInRounds({ recorder: measure(recorder), [PEER]: measure(bare) });
  const [ours = Number.NaN, theirs = Number.NaN] = turns.map(median);
  const against = `${PEER} ${theirs.toFixed(3)} ms`;
  return { ...absoluteRow('p50 added at one connection', ours - theirs, 'ms', '<= 0.2'), against };
}

async function measureDelay(upstream: string, bare: string, recorder: string): Promise<Row> {
  const measure = (origin: string) => async () =>
    percentile(await measureTimingErrors(`${origin}/v1/stream`, 'common'), 0.99);
  const contenders = { recorder: measure(recorder), upstream: measure(upstream), [PEER]: measure(bare) };
  const turns = await measureInRounds(contenders, 5);
  const [ours = Number.NaN, direct = Number.NaN, peer = Number.NaN] = turns.map(median);
  const delay = Math.max(0, ours - direct);
  return {
    ...absoluteRow('p99 delay added to stream events', delay, 'ms', '<= 2'),
    against: `direct ${direct.toFixed(3)} ms, ${PEER} ${peer.toFixed(3)} ms`,
  };
}

async function compareWithMitmdump(upstream: string, recorder: string, flows: string): Promise<Row> {
  const what = 'requests while recording, compared with mitmdump';
  if (spawnSync('mitmdump', ['--version'], { stdio: 'ignore' }).error !== undefined) {
    const against = 'mitmdump is not installed: skipped';
    return { ...absoluteRow(what, Number.NaN, 'req/s'), against };
  }
  const port = await findFreePort();
  const flags = ['-q', '-w', flows, '--mode', `reverse:${upstream}`, '--listen-port', `${port}`];
  const mitmdump = spawn('mitmdump', flags, { stdio: 'ignore' });
  try {
    await waitForPort(port);
    const measure = (origin: string) => async () =>
      (await generateLoad({ ...CHAT, url: chatAt(origin) })).perSecond;
    const contenders = { recorder: measure(recorder), 'mitmdump -w': measure(`http://127.0.0.1:${port}`) };
    return await compareWithPeer(what, 'req/s', contenders, { goal: '>= 8' });
  } finally {
    mitmdump.kill();
  }
}

async function measureUpload(upstream: string, cassette: string): Promise<Row> {
  const recorder = await startRecorder(upstream, cassette);
  const outgoing = request(`${recorder.url}/files`, { method: 'POST' });
  const response = once(outgoing, 'response').then(([incoming]) => {
    if (incoming.resume().statusCode !== 200) throw new Error(`The upload got HTTP ${incoming.statusCode}.`);
  });
  const piece = Buffer.alloc(1 << 20, 'assay ');
  await Promise.all([pipeline(Readable.from(Array<Buffer>(512).fill(piece)), outgoing), response]);
  return absoluteRow('peak memory during a 512 MB upload', await recorder.stop(), 'MB', '<= 150');
}

async function measureManyExchanges(upstream: string, cassette: string): Promise<Row> {
  const recorder = await startRecorder(upstream, cassette);
  const count = 100_000;
  await Promise.all(
    Array.from({ length: 16 }, () => measureLatencies(chatAt(originOf(recorder)), count / 16)),
  );
  return absoluteRow(`peak memory after ${count} exchanges`, await recorder.stop(), 'MB', '<= 200');
}

async function measureLatencies(url: string, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent, headers: { ...CHAT.headers } }, (res) => {
        if (res.statusCode !== 200) reject(new Error(`${url} answered ${res.statusCode}`));
        res.on('end', resolve).resume();
      });
      outgoing.on('error', reject).end(BODY);
    });
    latencies.push(performance.now() - began);
  }
  agent.destroy();
  return latencies;
}
