import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HttpResponse } from '../exchange.ts';
import type { Body } from '../http/body.ts';
import { decodedContent } from '../http/content.ts';
import { eventsOf } from '../http/event-stream.ts';
import { firstHeader } from '../http/headers.ts';
import { MAX_CODED_BYTES } from '../redaction/compressed-body.ts';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote } from '../trace.ts';
import { readTrace } from './cassette.ts';
import { createCassette } from './cassette-writer.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-coded-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function recordCoded(wire: Buffer, coding: string, type = 'application/json', isLearnedLate = false) {
  const redactor = new Redactor({ secrets: isLearnedLate ? [] : [SECRET] });
  const cassette = createCassette(join(dir, 'c'), traceHeader(), { redactor });
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  const length = ['Content-Length', String(wire.length)] as const;
  const headers = [['Content-Type', type], ['Content-Encoding', coding], length] as const;
  recording.response({ status: 200, reason: 'OK', headers });
  for (let at = 0; at < wire.length; at += 100) recording.piece(wire.subarray(at, at + 100));
  await recording.end({ how: 'complete' });
  if (isLearnedLate) {
    const headers = [['Authorization', `Bearer ${SECRET}`]] as const;
    await cassette.begin({ method: 'GET', target: '/v1/models', headers }).end({ how: 'client-abort' });
  }
  cassette.finish();
  const { items } = await readTrace(join(dir, 'c'));
  const [exchange] = items.filter((item) => !isNote(item));
  const response = exchange && 'response' in exchange ? exchange.response : null;
  if (response === null) throw new Error('nothing was recorded');
  return { response, notes: items.filter(isNote).length };
}

const lengthOf = (response: HttpResponse) => Number(firstHeader(response.headers, 'content-length'));

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])(
  'a body coded with %s is kept byte for byte with its pieces, and its content is added as JSON',
  async (coding, encode) => {
    const wire = encode(JSON.stringify({ hello: 'world '.repeat(100) }));
    const { response } = await recordCoded(wire, coding);
    expect(Buffer.from(response.body.bytes ?? [])).toEqual(wire);
    expect(response.pieces.length).toBe(Math.ceil(wire.length / 100));
    const text = readFileSync(join(dir, 'c/cassette.jsonl'), 'utf8');
    expect(text).toContain('"reads":{"json":{"hello":"world world');
  },
);

test.each([false, true])(
  'a secret in a coded body is replaced, the new body has its Content-Length and one piece, and a note says so unless the secret was learned late: %s',
  async (isLearnedLate) => {
    const wire = gzipSync(JSON.stringify({ echo: SECRET, more: randomBytes(500).toString('hex') }));
    const { response, notes } = await recordCoded(wire, 'gzip', 'application/json', isLearnedLate);
    const content = decodedContent(response)?.text;
    expect(content).toContain('"echo":"redacted_1_xxxxx/xxx"');
    expect(lengthOf(response)).toBe(response.body.size);
    expect(response.pieces.map(({ offset }) => offset)).toEqual([0]);
    expect(notes).toBe(isLearnedLate ? 0 : 1);
  },
);

test('a secret that is split over the deltas of a coded stream is replaced', async () => {
  const deltas = [SECRET.slice(0, 9), SECRET.slice(9)].map((d) => `data: ${JSON.stringify({ d })}\n\n`);
  const { response } = await recordCoded(gzipSync(deltas.join('')), 'gzip', 'text/event-stream');
  const data = eventsOf(response)?.events.map((event) => JSON.parse(event.data).d);
  expect(data?.join('')).toBe('redacted_1_xxxxx/xxx');
});

test('a body with an unknown coding is kept, with a note', async () => {
  const { response, notes } = await recordCoded(Buffer.from('not zstd'), 'zstd');
  expect(response.body.text).toBe('not zstd');
  expect(notes).toBe(1);
});

test('only a coded request body above 16 MiB is reduced to its digest, because it cannot be searched', async () => {
  const options = { maxRequestBytes: 64 * 1024 * 1024, redactor: new Redactor({ secrets: [SECRET] }) };
  const cassette = createCassette(join(dir, 'c'), traceHeader(), options);
  const wire = gzipSync(Buffer.concat([Buffer.from(SECRET), randomBytes(MAX_CODED_BYTES)]), {
    level: 0,
  });
  const bodies: (Body | undefined)[] = [];
  for (const headers of [[['Content-Encoding', 'gzip'] as const], []]) {
    const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers });
    recording.requestBody(wire);
    const exchange = await recording.end({ how: 'client-abort' });
    bodies.push(exchange?.request.body);
  }
  cassette.close();
  expect(bodies).toMatchObject([
    { isKept: false, size: wire.length },
    { isKept: true, size: wire.length },
  ]);
});
