import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { recordDistinctRequests } from './distinct-requests.ts';
import type { LoadResult } from './load.ts';
import { runPeer, startAssay, startPeer } from './process.ts';
import { CpuMeter, compareWithPeer, cpuRow, measureMedian, percentile } from './rounds.ts';
import { absoluteRow, type Row } from './rows.ts';
import { measureTimingErrors } from './stream-timing.ts';

const LARGE_COUNT = 100_000;
const SMALL_COUNT = 100;
const TAPE_COUNT = 10_000;
const EVENT_COUNT = 200;
const EVENT_MS = 5;

export async function* rows(root: string): AsyncGenerator<Row> {
  const [large, small, stream] = [join(root, 'large'), join(root, 'small'), join(root, 'stream')];
  await recordDistinctRequests(large, LARGE_COUNT);
  await recordDistinctRequests(small, SMALL_COUNT);
  yield* await openingRows(large);
  yield* rateRows(large, small);
  await recordStream(stream);
  yield await paceRow(stream);
  yield await compareWithTalkback(large, join(root, 'tapes'));
}

const startReplayer = (cassette: string, ...flags: readonly string[]) =>
  startAssay(['replay', cassette, '--no-strict', '--exhausted', 'repeat-last', ...flags], { quiet: true });

async function sendDistinct(url: string, count: number): Promise<LoadResult> {
  const { output } = await runPeer('distinct-load', url, `${count}`, '2');
  return JSON.parse(output);
}

const measureRate = async (url: string, count: number) => (await sendDistinct(url, count)).perSecond;

async function openingRows(cassette: string): Promise<Row[]> {
  const peaks: number[] = [];
  const openingSeconds = await measureMedian(async () => {
    const began = performance.now();
    const server = await startReplayer(cassette);
    const seconds = (performance.now() - began) / 1000;
    peaks.push(await server.stop());
    return seconds;
  });
  return [
    absoluteRow(`start of a replayer of ${LARGE_COUNT} exchanges`, openingSeconds, 's', '<= 1.5'),
    absoluteRow('peak memory after the start', Math.max(...peaks), 'MB', '<= 250'),
  ];
}

async function* rateRows(large: string, small: string): AsyncGenerator<Row> {
  const ours = await startReplayer(large);
  const smaller = await startReplayer(small);
  const bare = await startPeer('bare-map', `${LARGE_COUNT}`);
  const what = `requests, ${LARGE_COUNT} recordings`;
  const [ourCpu, bareCpu] = [new CpuMeter(ours), new CpuMeter(bare)];
  const measureReplayer = () => ourCpu.measure(() => sendDistinct(ours.url, LARGE_COUNT));
  const peer = 'node:http with a Map';
  const measureBare = () => bareCpu.measure(() => sendDistinct(bare.url, LARGE_COUNT));
  const bareContenders = { replayer: measureReplayer, [peer]: measureBare };
  yield await compareWithPeer(what, 'req/s', bareContenders, { goal: '>= 0.5' });
  yield cpuRow(`${LARGE_COUNT} recordings`, ourCpu, bareCpu, peer);
  const contenders = {
    replayer: measureReplayer,
    [`replayer of ${SMALL_COUNT}`]: () => measureRate(smaller.url, SMALL_COUNT),
  };
  yield await compareWithPeer(what, 'req/s', contenders, { goal: '>= 0.8' });
  for (const server of [ours, smaller, bare]) await server.stop();
}

async function recordStream(dir: string): Promise<void> {
  const cassette = createCassette(dir, recordingHeader('http://127.0.0.1:1/v1'));
  const recording = cassette.begin({ method: 'GET', target: '/v1/stream', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: [['Content-Type', 'text/event-stream']] });
  for (let n = 1; n <= EVENT_COUNT; n += 1)
    recording.piece(Buffer.from(`data: {"at":${n * EVENT_MS}}\n\n`), n * EVENT_MS);
  await recording.end({ how: 'complete', at: (EVENT_COUNT + 1) * EVENT_MS });
  cassette.finish();
}

async function paceRow(cassette: string): Promise<Row> {
  const server = await startReplayer(cassette, '--pace', 'recorded');
  const measure = async () => percentile(await measureTimingErrors(`${server.url}/stream`, 'stream'), 0.99);
  const error = await measureMedian(measure, 5);
  await server.stop();
  return absoluteRow('p99 of how far an event is from its recorded time', error, 'ms', '<= 5');
}

async function compareWithTalkback(cassette: string, tapes: string): Promise<Row> {
  mkdirSync(tapes);
  const ours = await startReplayer(cassette);
  const peer = await startPeer('talkback', tapes, `${TAPE_COUNT}`);
  const row = await compareWithPeer(
    `requests, ${LARGE_COUNT} recordings against ${TAPE_COUNT} tapes`,
    'req/s',
    { replayer: () => measureRate(ours.url, TAPE_COUNT), talkback: () => measureRate(peer.url, TAPE_COUNT) },
    { goal: '>= 1', rounds: 3 },
  );
  for (const server of [ours, peer]) await server.stop();
  return row;
}
