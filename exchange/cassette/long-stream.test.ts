import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { Blobs } from './blobs.ts';
import { BlobsInMemory } from './blobs-in-memory.ts';
import { openEvenInUse } from './cassette.ts';
import { type CassetteOptions, createCassette } from './cassette-writer.ts';
import { assembleExchange, collectLines } from './exchange-lines.ts';
import type { JournalEvent } from './lines.ts';

const STREAM: HeaderPairs = [['Content-Type', 'text/event-stream']];
const EVENTS = ['data: 1\n\n', 'data: 2\n\n'].map((text) => Buffer.from(text));

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-long-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function* createEvents(texts: readonly string[]): Generator<JournalEvent> {
  const head = { method: 'GET', target: '/v1/models', headers: [], boundary: null };
  yield { i: 1, e: 'request', after: 0, began: 0, scenario: null, probe: null, ...head };
  yield { i: 1, e: 'response', status: 200, reason: 'OK', headers: STREAM };
  for (const [n, text] of texts.entries()) yield { i: 1, e: 'piece', at: n + 1, size: text.length, text };
}

test('a stream within the limits keeps its pieces', () => {
  const limits = { bytes: 6, pieces: 2 };
  const lines = collectLines(createEvents(['abc', 'def']), new BlobsInMemory(new Blobs(dir)), limits);
  const arrived = [
    [0, 1],
    [3, 2],
  ];
  expect(lines).toMatchObject({ stream: Buffer.from('abcdef'), arrived, responseBody: null });
});

test.each([
  [
    'bytes',
    { bytes: 5, pieces: 10 },
    [
      [0, 1],
      [3, 2],
      [6, 3],
    ],
  ],
  [
    'pieces, and the times of further pieces are dropped',
    { bytes: 100, pieces: 2 },
    [
      [0, 1],
      [3, 2],
    ],
  ],
])('a stream becomes a blob if it has too many %s', (_, limits, pieces) => {
  const blobs = new BlobsInMemory(new Blobs(dir));
  const lines = collectLines(createEvents(['abc', 'def', 'gh']), blobs, limits);
  const body = lines?.responseBody ?? null;
  expect(lines).toMatchObject({ response: { e: 'response' }, stream: null, arrived: pieces, end: null });
  expect(lines?.last).toBe(3);
  expect(body).toMatchObject({ e: 'response-body', size: 8, pieces });
  const blob = body !== null && 'blob' in body ? body.blob : '';
  expect(Buffer.from(blobs.read(blob, 8)).toString()).toBe('abcdefgh');
});

async function record(pieces: readonly Uint8Array[], options: CassetteOptions) {
  const cassette = createCassette(join(dir, 'c'), traceHeader(), options);
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: STREAM });
  for (const piece of pieces) recording.piece(piece);
  await recording.end({ how: 'complete' });
  return cassette;
}

function collectJudged() {
  const judged: (readonly JournalEvent[])[] = [];
  const options: CassetteOptions = {
    maxResponseBytes: 10,
    collect: false,
    onLines: (lines) => {
      judged.push(lines);
      return null;
    },
  };
  const listBodies = () =>
    judged.map((lines) => {
      const body = assembleExchange(lines, new Blobs(dir))?.response?.body;
      return [body?.size, body?.isKept];
    });
  return { options, listBodies };
}

test('the judge gets only the size of a stream beyond its limit, and the cassette keeps all of it', async () => {
  const { options, listBodies } = collectJudged();
  const cassette = await record(EVENTS, options);
  expect(listBodies()).toEqual([[18, false]]);
  cassette.finish();
  const read = openEvenInUse(join(dir, 'c'));
  expect(read.exchange(0)).toMatchObject({
    response: { body: { text: 'data: 1\n\ndata: 2\n\n' } },
    end: { how: 'complete' },
  });
  read.close();
});

test('the judge gets only the size of a stream that takes the open ones beyond four times the limit, and all of a later one', async () => {
  const { options, listBodies } = collectJudged();
  const cassette = createCassette(join(dir, 'c'), traceHeader(), options);
  const open = Array.from({ length: 5 }, () =>
    cassette.begin({ method: 'GET', target: '/v1/x', headers: [] }),
  );
  for (const recording of open) {
    recording.response({ status: 200, reason: 'OK', headers: STREAM });
    recording.piece(Buffer.from('data: 1\n\n'));
  }
  for (const recording of open) await recording.end({ how: 'complete' });
  const last = cassette.begin({ method: 'GET', target: '/v1/x', headers: [] });
  last.response({ status: 200, reason: 'OK', headers: STREAM });
  last.piece(Buffer.from('data: 1\n\n'));
  await last.end({ how: 'complete' });
  expect(listBodies()).toEqual([...Array.from({ length: 4 }, () => [9, true]), [9, false], [9, true]]);
  cassette.close();
});
