import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { exportHar } from '../har/write.ts';
import { LARGEST_READ } from '../http/body.ts';
import { eventsOf, isTooLongToRead, readEvents } from '../http/event-stream.ts';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { Blobs, BlobsInMemory } from './blobs.ts';
import { openSettled } from './cassette.ts';
import { type CassetteOptions, createCassette } from './cassette-writer.ts';
import { assembleExchange } from './exchange-lines.ts';
import { recoverCassette } from './finish.ts';
import type { JournalEvent } from './lines.ts';
import { withoutLongStream } from './long-stream.ts';
import { scanForSecrets } from './secret-scan.ts';

const STREAM: HeaderPairs = [['Content-Type', 'text/event-stream']];
const MIB = 1024 * 1024;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-long-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Events of a stream whose pieces are these texts, which arrive at 1, 2, … */
function* events(texts: readonly string[]): Generator<JournalEvent> {
  yield { i: 1, e: 'response', status: 200, reason: 'OK', headers: STREAM };
  for (const [n, text] of texts.entries()) yield { i: 1, e: 'piece', at: n + 1, size: text.length, text };
}

test('a stream within the limits keeps its pieces', () => {
  const given = [...events(['abc', 'def'])];
  const limits = { bytes: 6, pieces: 2 };
  expect([...withoutLongStream(given, new BlobsInMemory(new Blobs(dir)), limits)]).toEqual(given);
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
    'pieces, whose further times are dropped',
    { bytes: 100, pieces: 2 },
    [
      [0, 1],
      [3, 2],
    ],
  ],
])('a stream of too many %s becomes a blob', (_, limits, pieces) => {
  const blobs = new BlobsInMemory(new Blobs(dir));
  const [head, body, ...rest] = withoutLongStream(events(['abc', 'def', 'gh']), blobs, limits);
  expect([head?.e, rest]).toEqual(['response', []]);
  expect(body).toMatchObject({ e: 'response-body', size: 8, pieces });
  const blob = body !== undefined && 'blob' in body ? body.blob : '';
  expect(Buffer.from(blobs.read(blob, 8)).toString()).toBe('abcdefgh');
});

/** Records one stream of these pieces. */
async function record(name: string, pieces: readonly Uint8Array[], options: CassetteOptions = {}) {
  const cassette = createCassette(join(dir, name), traceHeader(), options);
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: STREAM });
  for (const piece of pieces) recording.piece(piece);
  const exchange = await recording.end({ how: 'complete' });
  return { cassette, exchange };
}

const FILLER = Buffer.from(`data: {"d":"${'x'.repeat(100)}"}\n\n`.repeat(9_200)).subarray(0, MIB);
const LONG = [
  ...Array.from({ length: LARGEST_READ / MIB }, () => FILLER),
  Buffer.from('\n\ndata: {"d":"sk-Canary_"}\n\ndata: {"d":"42+abc/XYZ-and-more"}\n\n'),
];

test('a stream of more than 64 MiB is a file in the cassette, which no reader takes into memory', async () => {
  const { cassette, exchange } = await record('c', LONG, { redactor: new Redactor({ keepFields: true }) });
  expect(exchange?.response?.body.isKept).toBe(false);
  // The folder as a killed recorder leaves it.
  cassette.close();
  recoverCassette(join(dir, 'c'));
  const read = openSettled(join(dir, 'c'));
  const { response } = read.exchange(0);
  read.close();
  if (response === null) throw new Error('no response');
  expect([response.body.isKept, response.body.size]).toEqual([false, Buffer.concat(LONG).length]);
  expect([eventsOf(response), isTooLongToRead(response)]).toEqual([null, true]);
  expect(response.pieces).toHaveLength(LONG.length);

  // The secret is split over the deltas at the end.
  const knowing = new Redactor({ secrets: ['sk-Canary_42+abc/XYZ-and-more'] });
  expect(scanForSecrets(join(dir, 'c'), knowing, 'known')).toMatchObject([{ what: 'a known secret' }]);

  const { exchanges } = await exportHar(join(dir, 'c'), join(dir, 'c.har'));
  expect(exchanges).toBe(1);
});

test('the judge gets only the size of a stream beyond its limit, and of streams that together exceed four times as much', async () => {
  const given: (readonly JournalEvent[])[] = [];
  const options: CassetteOptions = {
    judged: 10,
    collect: false,
    onLines: (lines) => {
      given.push(lines);
      return null;
    },
  };
  const { cassette } = await record('c', [Buffer.from('data: 1\n\n'), Buffer.from('data: 2\n\n')], options);
  const open = Array.from({ length: 5 }, () =>
    cassette.begin({ method: 'GET', target: '/v1/x', headers: [] }),
  );
  for (const recording of open) {
    recording.response({ status: 200, reason: 'OK', headers: STREAM });
    recording.piece(Buffer.from('data: 1\n\n'));
  }
  for (const recording of open) await recording.end({ how: 'complete' });
  // A response that has ended frees its memory.
  const last = cassette.begin({ method: 'GET', target: '/v1/x', headers: [] });
  last.response({ status: 200, reason: 'OK', headers: STREAM });
  last.piece(Buffer.from('data: 1\n\n'));
  await last.end({ how: 'complete' });
  const kept = given.map((lines) => assembleExchange(lines, new Blobs(dir))?.response?.body);
  expect(kept.map((body) => [body?.size, body?.isKept])).toEqual([
    [18, false],
    ...Array.from({ length: 4 }, () => [9, true]),
    [9, false],
    [9, true],
  ]);
  cassette.finish();
  const read = openSettled(join(dir, 'c'));
  expect(read.exchange(0).response?.body.text).toBe('data: 1\n\ndata: 2\n\n');
  read.close();
});

test('a cassette contains a stream that the judge does not get', async () => {
  const { cassette } = await record('c', [Buffer.from('data: 1\n\n'), Buffer.from('data: 2\n\n')], {
    judged: 10,
  });
  cassette.finish();
  const read = openSettled(join(dir, 'c'));
  expect(read.exchange(0)).toMatchObject({
    response: { body: { text: 'data: 1\n\ndata: 2\n\n' } },
    end: { how: 'complete' },
  });
  read.close();
});

test('a stream of too many events is kept as bytes and not read', async () => {
  const stream = Buffer.from('data:\n\n'.repeat(500_001));
  expect(readEvents(stream)).toBeNull();
  const { cassette } = await record('c', [stream], { redactor: new Redactor({ keepFields: true }) });
  cassette.finish();
  const read = openSettled(join(dir, 'c'));
  const { response } = read.exchange(0);
  read.close();
  expect(stream.equals(response?.body.bytes ?? Buffer.alloc(0))).toBe(true);
  expect(response !== null && isTooLongToRead(response)).toBe(true);
});
