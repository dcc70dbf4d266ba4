import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { exportHar } from '../har/write.ts';
import { MAX_READ_BYTES } from '../http/body.ts';
import { eventsOf, isTooLongToRead } from '../http/event-stream.ts';
import { readEvents } from '../http/sse-reader.ts';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { openEvenInUse } from './cassette.ts';
import { createCassette } from './cassette-writer.ts';
import { recoverCassette } from './finish.ts';
import { scanForSecrets } from './secret-scan.ts';

const STREAM: HeaderPairs = [['Content-Type', 'text/event-stream']];
const MIB = 1024 * 1024;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-longest-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function record(pieces: readonly Uint8Array[]) {
  const redactor = new Redactor({ keepFields: true });
  const cassette = createCassette(join(dir, 'c'), traceHeader(), { redactor });
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: STREAM });
  for (const piece of pieces) recording.piece(piece);
  const exchange = await recording.end({ how: 'complete' });
  return { cassette, exchange };
}

const FILLER = Buffer.from(`data: {"d":"${'x'.repeat(100)}"}\n\n`.repeat(9_200)).subarray(0, MIB);
const LONG = [
  ...Array.from({ length: MAX_READ_BYTES / MIB }, () => FILLER),
  Buffer.from('\n\ndata: {"d":"sk-Canary_"}\n\ndata: {"d":"42+abc/XYZ-and-more"}\n\n'),
];

test('a stream of more than 64 MiB is recovered as a file that is not loaded whole; it is searched for secrets, and its exchange is exported', async () => {
  const { cassette, exchange } = await record(LONG);
  expect(exchange?.response?.body.isKept).toBe(false);
  // Closing without finishing leaves the cassette as a killed recorder does.
  cassette.close();
  recoverCassette(join(dir, 'c'));
  const read = openEvenInUse(join(dir, 'c'));
  const { response } = read.exchange(0);
  read.close();
  if (response === null) throw new Error('no response');
  const file = expect.stringContaining('blobs');
  expect(response.body).toMatchObject({ isKept: false, size: Buffer.concat(LONG).length, file });
  expect([eventsOf(response), isTooLongToRead(response)]).toEqual([null, true]);
  expect(response.pieces).toHaveLength(LONG.length);
  const redactor = new Redactor({ secrets: ['sk-Canary_42+abc/XYZ-and-more'] });
  expect(scanForSecrets(join(dir, 'c'), redactor, 'known')).toMatchObject([{ what: 'a known secret' }]);
  const { exchanges } = await exportHar(join(dir, 'c'), join(dir, 'c.har'));
  expect(exchanges).toBe(1);
});

test('a stream of too many events is kept as bytes and not read', async () => {
  const stream = Buffer.from('data:\n\n'.repeat(500_001));
  expect(readEvents(stream)).toBeNull();
  const { cassette } = await record([stream]);
  cassette.finish();
  const read = openEvenInUse(join(dir, 'c'));
  const { response } = read.exchange(0);
  read.close();
  expect(stream.equals(response?.body.bytes ?? Buffer.alloc(0))).toBe(true);
  expect(response !== null && isTooLongToRead(response)).toBe(true);
});
