// The replayer compared with a bare server and talkback: rates with many and few recordings, start, memory, and pace of streams.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { CpuMeter, cpuRow } from './cpu.ts';
import { recordDistinct } from './distinct.ts';
import { runToEnd, startServer } from './process.ts';
import { compareWithPeer, takeTurns } from './rounds.ts';
import type { Row } from './row.ts';

const MANY = 100_000;
const FEW = 100;
const TAPES = 10_000;

export async function rows(report: (row: Row) => void): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'assay-bench-replay-'));
  const [many, few, stream] = ['many', 'few', 'stream'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]; // as: three names give three paths
  try {
    await recordDistinct(many, MANY);
    await recordDistinct(few, FEW);
    for (const row of await opening(many)) report(row);
    await rates(many, few, report);
    await recordStream(stream);
    report(await pace(stream));
    report(await againstTalkback(many, join(root, 'tapes')));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const start = (cassette: string, ...flags: readonly string[]) =>
  startServer(
    ['dist/cli/main.js', 'replay', cassette, '--no-strict', '--exhausted', 'repeat-last', ...flags],
    { quiet: true },
  );

interface LoadResult {
  readonly perSecond: number;
  readonly count: number;
}

async function load(url: string, count: number): Promise<LoadResult> {
  const { output } = await runToEnd([
    '--import',
    'tsx',
    'bench/processes/distinct-load.ts',
    url,
    `${count}`,
    '2',
  ]);
  return JSON.parse(output) as LoadResult; // as: what our own program prints
}

const loaded = async (url: string, count: number) => (await load(url, count)).perSecond;

/** Time from the start of the process to its URL, and its memory then. */
async function opening(cassette: string): Promise<Row[]> {
  const peaks: number[] = [];
  const [opened] = await takeTurns([
    {
      name: 'replayer',
      measure: async () => {
        const began = performance.now();
        const server = await start(cassette);
        const seconds = (performance.now() - began) / 1000;
        peaks.push(server.peak());
        await server.stop();
        return seconds;
      },
    },
  ]);
  const what = `opening ${MANY} exchanges`;
  const alone = { ratio: null, against: null };
  return [
    {
      what: `${what}, process and all`,
      value: opened?.median ?? Number.NaN,
      unit: 's',
      ...alone,
      goal: '<= 1.5',
    },
    { what: `peak memory when opened`, value: Math.max(...peaks), unit: 'MB', ...alone, goal: '<= 250' },
  ];
}

async function rates(many: string, few: string, report: (row: Row) => void): Promise<void> {
  const [ours, small, bare] = [
    await start(many),
    await start(few),
    await startServer(['--import', 'tsx', 'bench/processes/bare-map.ts', `${MANY}`]),
  ];
  const what = `requests, ${MANY} recordings`;
  const [ourCpu, bareCpu] = [new CpuMeter(ours), new CpuMeter(bare)];
  const replayer = { name: 'replayer', measure: () => ourCpu.over(() => load(ours.url, MANY)) };
  const peer = 'node:http with a Map';
  try {
    const map = { name: peer, measure: () => bareCpu.over(() => load(bare.url, MANY)) };
    report(await compareWithPeer(what, 'req/s', [replayer, map], { goal: '>= 0.5' }));
    report(cpuRow(`${MANY} recordings`, ourCpu, bareCpu, peer));
    const own = { name: `replayer of ${FEW}`, measure: () => loaded(small.url, FEW) };
    report(await compareWithPeer(what, 'req/s', [replayer, own], { goal: '>= 0.8' }));
  } finally {
    for (const server of [ours, small, bare]) await server.stop();
  }
}

const EVENTS = 200;
const EVERY = 5;

async function recordStream(dir: string): Promise<void> {
  const cassette = createCassette(dir, recordingHeader('http://127.0.0.1:1/v1'));
  const recording = cassette.begin({ method: 'GET', target: '/v1/stream', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: [['Content-Type', 'text/event-stream']] });
  for (let n = 1; n <= EVENTS; n += 1)
    recording.piece(Buffer.from(`data: {"at":${n * EVERY}}\n\n`), n * EVERY);
  await recording.end({ how: 'complete', at: (EVENTS + 1) * EVERY });
  cassette.finish();
}

/** By how much the events of four concurrent streams miss their recorded times. */
async function pace(cassette: string): Promise<Row> {
  const server = await start(cassette, '--pace', 'recorded');
  try {
    const [error] = await takeTurns(
      [
        {
          name: 'replayer',
          measure: async () => {
            const errors = (
              await Promise.all(Array.from({ length: 4 }, () => paceErrors(`${server.url}/stream`)))
            ).flat();
            return errors.toSorted((a, b) => a - b)[Math.floor(errors.length * 0.99)] ?? Number.NaN;
          },
        },
      ],
      5,
    );
    return {
      what: 'p99 by which an event misses its recorded time',
      value: error?.median ?? Number.NaN,
      unit: 'ms',
      ratio: null,
      against: null,
      goal: '<= 5',
    };
  } finally {
    await server.stop();
  }
}

function paceErrors(url: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const errors: number[] = [];
    const began = performance.now();
    request(url, (res) => {
      res.setEncoding('utf8');
      res.on('data', (text: string) => {
        const now = performance.now() - began;
        for (const [, at] of text.matchAll(/"at":(\d+)/g)) errors.push(Math.abs(now - Number(at)));
      });
      res.on('end', () => resolve(errors));
    })
      .on('error', reject)
      .end();
  });
}

async function againstTalkback(many: string, tapes: string): Promise<Row> {
  mkdirSync(tapes);
  const ours = await start(many);
  const peer = await startServer(['--import', 'tsx', 'bench/processes/talkback.ts', tapes, `${TAPES}`]);
  try {
    return await compareWithPeer(
      `requests, ${MANY} recordings against ${TAPES} tapes`,
      'req/s',
      [
        { name: 'replayer', measure: () => loaded(ours.url, TAPES) },
        { name: 'talkback', measure: () => loaded(peer.url, TAPES) },
      ],
      { goal: '>= 1', rounds: 3 },
    );
  } finally {
    await ours.stop();
    await peer.stop();
  }
}
