import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventsOf } from '../http/event-stream.ts';
import { readEvents } from '../http/sse-reader.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { openEvenInUse } from './cassette.ts';
import { createCassette } from './cassette-writer.ts';
import { parseLines } from './line-shape.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-long-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a stream with a line that is too long keeps its bytes; `eventsOf` rejects it, and `readEvents` returns the events around the line', async () => {
  const cassette = createCassette(join(dir, 'c'), traceHeader());
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  const headers = [['Content-Type', 'text/event-stream']] as const;
  recording.response({ status: 200, reason: 'OK', headers });
  const pieces = [
    Buffer.from('data: {"a":1}\n\ndata: '),
    ...Array.from({ length: 17 }, () => Buffer.from('\u00e4'.repeat(512 * 1024))),
    Buffer.from('\n\ndata: [DONE]\n\n'),
  ];
  for (const piece of pieces) recording.piece(piece);
  await recording.end({ how: 'complete' });
  cassette.finish();
  const read = openEvenInUse(join(dir, 'c'));
  const { response } = read.exchange(0);
  read.close();
  expect(Buffer.concat(pieces).equals(response?.body.bytes ?? Buffer.alloc(0))).toBe(true);
  expect(response && eventsOf(response)).toBeNull();
  const events = readEvents(response?.body.bytes ?? new Uint8Array(0))?.events ?? [];
  expect(events.map(({ isTooLong, json }) => [isTooLong, json?.value])).toEqual([
    [false, { a: 1 }],
    [true, undefined],
    [false, undefined],
  ]);
  expect(events[1]?.data.length).toBeLessThan(2_000);
});

test('lines that do not fit in one parsing group are all read, in order', () => {
  const line = (n: number) =>
    `${JSON.stringify({ e: 'event', data: { n, text: 'x'.repeat(1024 * 1024) } })}\n`;
  const parsed = parseLines(Buffer.from(Array.from({ length: 36 }, (_, n) => line(n)).join('')));
  const numbers = parsed.map((event) => ('data' in event ? Reflect.get(Object(event.data), 'n') : null));
  expect(numbers).toEqual(Array.from({ length: 36 }, (_, n) => n));
});
