// A secret that a later request teaches, when an earlier answer has brought it to the disk already.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HeaderPairs, HttpResponse } from '../../exchange.ts';
import { decodedContent } from '../../http/content.ts';
import { firstHeader } from '../../http/headers.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { decodings, ENCODINGS } from '../../testing/encodings.ts';
import { readings } from '../../testing/readings.ts';
import { traceHeader } from '../../testing/trace-header.ts';
import { isNote } from '../../trace.ts';
import { readTrace } from '../read/cassette.ts';
import { type CassetteOptions, type CassetteWriter, createCassette } from '../write/cassette-writer.ts';
import type { Recording } from '../write/recording.ts';
import { recoverCassette } from './finish.ts';
import { recognised, secretDigest, secretDigests } from './secret-digest.ts';

const SECRET = 'key-Canary_42+abc/XYZ';
const STREAM: HeaderPairs = [['content-type', 'text/event-stream']];

let dir: string;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'assay-late-')), 'c');
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

const create = (options?: CassetteOptions) =>
  createCassette(dir, traceHeader(), { collect: false, ...options });

function begin(cassette: CassetteWriter, headers: HeaderPairs = []): Recording {
  return cassette.begin({ method: 'POST', target: '/v1/files', headers });
}

async function answered(
  cassette: CassetteWriter,
  body: string | Buffer,
  headers: HeaderPairs = [],
): Promise<void> {
  const recording = begin(cassette);
  recording.response({ status: 200, reason: 'OK', headers });
  recording.piece(Buffer.from(body));
  await recording.end({ how: 'complete' });
}

/** The request that teaches the secret, as far as its head. */
const teach = (cassette: CassetteWriter) => begin(cassette, [['authorization', `Bearer ${SECRET}`]]);

/** All bytes of all files, as they are at this moment. */
function disk(): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

const escaped = [...SECRET].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('');
const base64 = (before: string) => Buffer.from(`${before}${SECRET}--`).toString('base64');

describe('once it is known, and before its request is written, the disk no longer holds it', () => {
  test.each<[string, string | Buffer, string]>([
    ['in a line', `{"a":"${SECRET}"}`, SECRET],
    ['percent-encoded', `a=${encodeURIComponent(SECRET)}`, encodeURIComponent(SECRET)],
    ['in base64', `{"a":"${base64('x')}"}`, base64('x').slice(4, 24)],
    [
      'in bytes',
      Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(SECRET)]),
      Buffer.from(SECRET).toString('base64').slice(4, 20),
    ],
    ['in a body beside the lines', `${'x'.repeat(1_100_000)}${SECRET}`, SECRET],
  ])('%s', async (_, body, form) => {
    const cassette = create();
    await answered(cassette, body);
    const before = disk();
    if (typeof body === 'string') expect(before).toContain(form);
    await teach(cassette).end({ how: 'complete' });
    expect(disk()).not.toContain(form);
    cassette.finish();
    expect(disk()).not.toContain(form);
    const { items } = await readTrace(dir);
    const [first] = items;
    const read = first !== undefined && !isNote(first) ? first.response?.body.bytes : null;
    expect(read?.length).toBe(body.length);
    expect(Buffer.from(read ?? []).toString('latin1')).not.toContain(SECRET);
  });

  test('in a body that is still being written, cut by that very moment', async () => {
    for (const size of [10, 20_000]) {
      const cassette = create({ mode: 'replace' });
      await answered(cassette, 'first');
      const [request, response] = [begin(cassette), begin(cassette)];
      response.response({ status: 200, reason: 'OK', headers: [] });
      const [half, rest] = [`${'x'.repeat(size)}${SECRET} ${SECRET.slice(0, 9)}`, `${SECRET.slice(9)} end`];
      request.requestBody(Buffer.from(half));
      response.piece(Buffer.from(half));
      const teaching = teach(cassette);
      const working = readdirSync(`${dir}.recording`, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
      expect(working.join()).not.toContain(SECRET);
      request.requestBody(Buffer.from(rest));
      response.piece(Buffer.from(rest));
      for (const recording of [request, response, teaching]) await recording.end({ how: 'complete' });
      cassette.finish();
      expect(disk()).not.toContain(SECRET);
      const { items } = await readTrace(dir);
      const bodies = items.flatMap((item) => (isNote(item) ? [] : [item.request.body, item.response?.body]));
      const texts = bodies.flatMap((body) => (body?.text?.includes(' end') ? [body.text] : []));
      const alias = 'redacted_1_xxxxxxx/xx';
      expect(texts).toHaveLength(2);
      for (const text of texts)
        expect(text.replaceAll('/', 'x')).toBe(
          `${'x'.repeat(size)}${alias} ${alias} end`.replaceAll('/', 'x'),
        );
    }
  });

  test('in a body that waits for the disk', async () => {
    const cassette = create();
    await answered(cassette, 'first');
    const recording = begin(cassette);
    recording.response({ status: 200, reason: 'OK', headers: [] });
    recording.piece(Buffer.from('y'.repeat(20_000) + SECRET));
    const ending = recording.end({ how: 'complete' });
    const teaching = teach(cassette);
    expect(disk()).not.toContain(SECRET);
    await Promise.all([ending, teaching.end({ how: 'complete' })]);
    cassette.finish();
    expect(disk()).not.toContain(SECRET);
    expect((await readTrace(dir)).items).toHaveLength(3);
  });

  test('in a cassette that is written ahead', async () => {
    const cassette = create({ ahead: true, collect: true });
    await answered(cassette, SECRET);
    const teaching = teach(cassette);
    expect(existsSync(join(dir, 'cassette.jsonl.tmp'))).toBe(false);
    await teaching.end({ how: 'complete' });
    cassette.finish();
    expect(disk()).not.toContain(SECRET);
  });

  test('and those who got the exchange before can still read its body', async () => {
    const cassette = create({ collect: true });
    const recording = begin(cassette);
    recording.response({ status: 200, reason: 'OK', headers: [] });
    recording.piece(Buffer.from('z'.repeat(20_000) + SECRET));
    const exchange = await recording.end({ how: 'complete' });
    teach(cassette);
    expect(exchange?.response?.body.text).toMatch(/^z{20000}redacted_/);
    cassette.close();
  });
});

const deltas = [SECRET.slice(0, 8), SECRET.slice(8, 15), SECRET.slice(15)]
  .map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: delta } }] })}\n\n`)
  .join('');
const GZIP: HeaderPairs = [['content-encoding', 'gzip']];
/** Forms in which an answer can bring the secret. */
const FORMS: readonly [string, string | Buffer, HeaderPairs][] = [
  ['compressed', gzipSync(`{"a":"${SECRET}"}`), GZIP],
  [
    'compressed beside the lines',
    gzipSync(Buffer.concat([Buffer.from(SECRET), randomText(30_000)])),
    [...GZIP, ['content-length', '1']],
  ],
  ['compressed, which no header says', gzipSync(`{"a":"${SECRET}"}`), []],
  [
    'compressed beside the lines, which no header says',
    gzipSync(Buffer.concat([Buffer.from(SECRET), randomText(30_000)])),
    [],
  ],
  ['cut into deltas', deltas, STREAM],
  ['cut into deltas and compressed', gzipSync(deltas), [...STREAM, ...GZIP]],
  ['in the data lines of one event', `data: ${SECRET.slice(0, 9)}\ndata: ${SECRET.slice(9)}\n\n`, STREAM],
  ['escaped in a line that is escaped', `{"a":"${escaped}"}`, []],
  ...Object.entries(ENCODINGS).map(([name, encode]): [string, Buffer, HeaderPairs] => [
    `in ${name}`,
    Buffer.from(`{"a":"${encode(SECRET)}"}`, 'latin1'),
    [],
  ]),
];
const inner = SECRET.slice(1, -1).toLowerCase();

const holdsSecret = (folder: string) => readings(folder).some((text) => text.includes(inner));

/** The response with the largest body in the cassette. */
async function largestResponse(): Promise<HttpResponse> {
  const { items } = await readTrace(dir);
  const responses = items.flatMap((item) => (isNote(item) ? [] : (item.response ?? [])));
  const [largest] = responses.toSorted((a, b) => b.body.size - a.body.size);
  if (largest === undefined) throw new Error('nothing was recorded');
  return largest;
}

describe('once it is known, the disk holds it in no form', () => {
  test.each(FORMS)('%s', async (_, body, headers) => {
    const cassette = create();
    await answered(cassette, body, headers);
    // Otherwise the search of this test would see nothing either.
    expect(holdsSecret(dir)).toBe(true);
    teach(cassette);
    expect(holdsSecret(dir)).toBe(false);
    expect(disk()).not.toContain('"e":"secret"');
    cassette.close();
    expect(holdsSecret(dir)).toBe(false);
    recoverCassette(dir);
    expect(holdsSecret(dir)).toBe(false);
    const [first] = (await readTrace(dir)).items;
    if (first === undefined || isNote(first) || first.response === null) throw new Error('not recorded');
    const { response } = first;
    const content = decodedContent(response)?.bytes;
    expect(content).not.toBeNull();
    const length = firstHeader(response.headers, 'content-length');
    if (length !== null) expect(Number(length)).toBe(response.body.size);
  });

  test('cut by the moment at which it becomes known, in a stream that goes on', async () => {
    const events = deltas.split(/(?<=\n\n)/);
    // Fields that are named as secrets would hold the beginning back.
    const cassette = create({ redactor: new Redactor({ keepFields: true }) });
    const recording = begin(cassette);
    recording.response({ status: 200, reason: 'OK', headers: STREAM });
    recording.piece(Buffer.from(events[0] ?? ''));
    await answered(cassette, 'x');
    expect(disk()).toContain(SECRET.slice(0, 8));
    const teaching = teach(cassette);
    // The beginning of it waits in memory for what follows.
    expect(disk()).not.toContain(SECRET.slice(0, 8));
    for (const event of events.slice(1)) recording.piece(Buffer.from(event));
    await recording.end({ how: 'complete' });
    expect(holdsSecret(dir)).toBe(false);
    await teaching.end({ how: 'complete' });
    cassette.finish();
    expect(holdsSecret(dir)).toBe(false);
    const streamed = Buffer.from((await largestResponse()).body.bytes ?? []).toString();
    expect(streamed.length).toBe(deltas.length);
    const content = [...streamed.matchAll(/"content":"([^"]*)"/g)].map(([, delta]) => delta).join('');
    expect(content).toMatch(/^redacted_1_[x/]{10}$/);
  });

  test('in a compressed body that waits for the disk', async () => {
    const cassette = create();
    const recording = begin(cassette);
    recording.response({ status: 200, reason: 'OK', headers: GZIP });
    recording.piece(gzipSync(Buffer.concat([Buffer.from(SECRET), randomText(30_000)])));
    const ending = recording.end({ how: 'complete' });
    const teaching = teach(cassette);
    expect(holdsSecret(dir)).toBe(false);
    await Promise.all([ending, teaching.end({ how: 'complete' })]);
    cassette.finish();
    expect(holdsSecret(dir)).toBe(false);
    const response = await largestResponse();
    expect(decodedContent(response)?.text).toMatch(/^redacted_1_/);
  });

  test('and what holds none of it stays as it was', async () => {
    const cassette = create();
    await answered(cassette, deltas.replaceAll(/[A-Z_]/g, 'x'), STREAM);
    await answered(cassette, gzipSync('nothing'), GZIP);
    const before = readFileSync(join(dir, 'journal.jsonl'), 'utf8');
    teach(cassette);
    expect(readFileSync(join(dir, 'journal.jsonl'), 'utf8')).toBe(before);
    cassette.close();
  });

  test('a blob that an earlier recording names stays in that cassette', async () => {
    const body = `${'x'.repeat(20_000)}${SECRET}`;
    const earlier = create();
    await answered(earlier, body);
    earlier.finish();
    const cassette = create({ mode: 'append' });
    await answered(cassette, body);
    teach(cassette);
    cassette.close();
    const [first] = (await readTrace(dir)).items;
    if (first === undefined || isNote(first)) throw new Error('not recorded');
    expect(first.response?.body.bytes?.length).toBe(body.length);
  });
});

/** A journal as a recorder leaves it that was killed before it had replaced anything. */
async function killedBefore(body: string | Buffer, headers: HeaderPairs): Promise<void> {
  const cassette = create();
  await answered(cassette, body, headers);
  cassette.close();
  const lines = secretDigests(SECRET).map((line) => `${JSON.stringify(line)}\n`);
  appendFileSync(join(dir, 'journal.jsonl'), lines.join(''));
}

describe('after a kill in between, a reader and recovery take it out in every form', () => {
  test.each(FORMS)('%s', async (_, body, headers) => {
    await killedBefore(body, headers);
    expect(holdsSecret(dir)).toBe(true);
    const [read] = (await readTrace(dir)).items;
    recoverCassette(dir);
    expect(holdsSecret(dir)).toBe(false);
    const [recovered] = (await readTrace(dir)).items;
    for (const item of [read, recovered]) {
      if (item === undefined || isNote(item) || item.response === null) throw new Error('not recorded');
      const content = Buffer.from(decodedContent(item.response)?.bytes ?? []);
      expect(decodings(content).map((text) => text.toLowerCase())).not.toContain(inner);
    }
    expect(disk()).not.toContain('"e":"secret"');
  });
});

function randomText(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return 33 + (state % 90);
    }),
  );
}

test('a journal does not hold what it recognises, and recognises it wherever it stands', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
      fc.uint8Array(),
      fc.uint8Array(),
      (text, before, after) => {
        const digest = secretDigest(text);
        expect(recognised(digest, Buffer.concat([before, Buffer.from(text), after]))).toBe(text);
        expect(recognised(digest, Buffer.from(`${text}`).subarray(1))).toBeNull();
        // A secret that reads like a name of the format, as `length`, is not a leak.
        const isName = JSON.stringify(Object.keys(digest)).includes(text);
        if (text.length > 5 && !isName) expect(JSON.stringify(digest)).not.toContain(text);
      },
    ),
  );
});
