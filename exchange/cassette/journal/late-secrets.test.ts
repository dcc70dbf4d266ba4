// A secret that a later request teaches, when an earlier answer has brought it to the disk already.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HeaderPairs, HttpResponse } from '../../exchange.ts';
import { decodedContent } from '../../http/content.ts';
import { traceHeader } from '../../testing/trace-header.ts';
import { isNote } from '../../trace.ts';
import { readTrace } from '../read/cassette.ts';
import { type CassetteOptions, type CassetteWriter, createCassette } from '../write/cassette-writer.ts';
import type { Recording } from '../write/recording.ts';
import { recoverCassette } from './finish.ts';
import { recognised, secretDigest } from './secret-digest.ts';

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

describe('after a kill, recovery takes out what could not be seen at once', () => {
  test.each<[string, string | Buffer, HeaderPairs]>([
    ['compressed', gzipSync(`{"a":"${SECRET}"}`), [['content-encoding', 'gzip']]],
    [
      'compressed beside the lines',
      gzipSync(Buffer.concat([Buffer.from(SECRET), randomText(30_000)])),
      [['content-encoding', 'gzip']],
    ],
    ['cut into deltas', deltas, STREAM],
    ['cut into deltas and compressed', gzipSync(deltas), [...STREAM, ['content-encoding', 'gzip']]],
    ['escaped in a line that is escaped', `{"a":"${escaped}"}`, []],
  ])('%s', async (_, body, headers) => {
    const cassette = create();
    await answered(cassette, body, headers);
    teach(cassette);
    // As if killed: nothing is finished.
    cassette.close();
    expect(disk()).not.toContain(SECRET);
    const read = (await readTrace(dir)).items;
    recoverCassette(dir);
    for (const items of [read, (await readTrace(dir)).items]) {
      const [first] = items;
      if (first === undefined || isNote(first) || first.response === null)
        throw new Error('nothing was recorded');
      expect(contentOf(first.response)).toContain('redacted');
      expect(contentOf(first.response)).not.toContain(SECRET);
    }
    expect(disk()).not.toContain('"e":"secret"');
  });

  test('in a body that was cut by the moment it became known', async () => {
    const cassette = create();
    const recording = begin(cassette);
    recording.response({ status: 200, reason: 'OK', headers: STREAM });
    recording.piece(Buffer.from(`data: ${SECRET.slice(0, 9)}`));
    await answered(cassette, 'x');
    teach(cassette);
    recording.piece(Buffer.from(`${SECRET.slice(9)}\n\n`));
    cassette.close();
    recoverCassette(dir);
    expect(disk()).not.toContain(SECRET);
    expect(disk()).toContain('redacted_');
  });
});

/** The text of a response: decoded, unescaped, and with its deltas joined. */
function contentOf(response: HttpResponse): string {
  const text = Buffer.from(decodedContent(response)?.bytes ?? []).toString();
  const joined = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, delta]) => delta).join('');
  return `${text}${joined}${text.replaceAll(/\\u00(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))}`;
}

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
