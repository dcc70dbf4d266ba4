import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type CassetteWriter, createCassette } from '../../exchange/cassette/cassette-writer.ts';
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import { openRecordedTraffic } from '../traffic/recorded-traffic.ts';
import { judgeRecorded } from './judge-recorded.ts';

// The thread is compiled, as users have it: from source, it would first transform all suites.
const modulePath = join(dirname(inject('main')), '../lib/judge-thread.js');
// as: compiled from judge-thread.ts
const { JudgeThread } = (await import(modulePath)) as typeof import('./judge-thread.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-judge-thread-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const json = [['content-type', 'application/json']] as const;

async function recordRetrieval(writer: CassetteWriter, size: unknown): Promise<void> {
  const recording = writer.begin({ method: 'GET', target: '/v1/files/file-1', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: json });
  recording.piece(Buffer.from(JSON.stringify({ id: 'file-1', object: 'file', bytes: size })));
  await recording.end({ how: 'complete' });
}

const FILES_HEADER = traceHeader({ claims: { families: ['files'], how: 'given' } });

function createThread(dialect: string | null = null) {
  const cassette = join(folder, 'cassette');
  const thread = new JudgeThread({
    dialect,
    extension: [],
    cassette,
    side: 'server',
    finds: 'stated',
    violations: null,
    memory: null,
  });
  return { cassette, thread };
}

function openThread(dialect: string | null = null) {
  const { cassette, thread } = createThread(dialect);
  const header = FILES_HEADER;
  const writer = createCassette(cassette, header, {
    mode: 'replace',
    onLines: (lines) => thread.exchange(lines),
    onNote: (note) => thread.note(note),
  });
  return { cassette, thread, header, writer };
}

test('the thread judges like a check of the cassette, however fast the traffic is', async () => {
  const { cassette, thread, header, writer } = openThread();
  thread.begin(header);
  writer.note({ note: 'scenario-started', scenario: 'files.own' });
  // A body of more than 8 KiB is stored next to the journal.
  await recordRetrieval(writer, 'x'.repeat(10_000));
  // The queue cannot hold this many exchanges.
  await Promise.all(Array.from({ length: 600 }, (_, n) => recordRetrieval(writer, n % 2 === 0 ? n : 'many')));
  writer.note({ note: 'scenario-ended', scenario: 'files.own' });
  await writer.waitUntilWritten();
  thread.end();
  writer.finish();
  const { judged } = await thread.finished();
  const recorded = await openRecordedTraffic([cassette]);
  const checked = await judgeRecorded(recorded, { dialect: null });
  recorded.close();
  expect(judged).toEqual(checked);
  const broken = judged.judgement.requirements.find(({ id }) => id === 'file:bytes#type');
  expect(broken).toMatchObject({ verdict: 'fail', observations: 601, findingsTotal: 301 });
});

test('the thread delays the traffic once its queue is full, until it has caught up', async () => {
  const { cassette, thread } = createThread();
  const exchanges: (readonly JournalEvent[])[] = [];
  const writer = createCassette(cassette, FILES_HEADER, {
    mode: 'replace',
    onLines: (lines) => {
      exchanges.push(lines);
      return null;
    },
  });
  for (let n = 0; n <= 600; n += 1) await recordRetrieval(writer, n);
  const last = exchanges.pop() ?? [];
  thread.begin(FILES_HEADER);
  // The thread cannot report progress before this turn of the event loop ends, so the 512th exchange fills the queue.
  const delays = exchanges.map((lines) => thread.exchange(lines));
  expect(delays.map((delay) => delay !== null)).toEqual(delays.map((_, n) => n >= 511));
  await Promise.all(delays);
  expect(thread.exchange(last)).toBeNull();
  thread.end();
  writer.finish();
  const { judged } = await thread.finished();
  expect(judged.judgement.requirements.find(({ id }) => id === 'file:bytes#type')).toMatchObject({
    verdict: 'pass',
    observations: 601,
  });
});

test('a thread that crashes does not stop the traffic, and finished() rejects with its error', async () => {
  const { thread, header, writer } = openThread(join(folder, 'no-such-dialect.json'));
  thread.begin(header);
  const recordings = Promise.all(Array.from({ length: 600 }, () => recordRetrieval(writer, 1)));
  await expect(thread.finished()).rejects.toThrow('no-such-dialect.json');
  await recordings;
  writer.finish();
});
