import { appendFileSync, existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs, HttpResponse } from '../exchange.ts';
import { decodedContent } from '../http/content.ts';
import { firstHeader } from '../http/headers.ts';
import { Redactor } from '../redaction/redactor.ts';
import { decodeFiles, decodingsOfBody } from '../testing/decoded-files.ts';
import { ENCODINGS } from '../testing/encodings.ts';
import {
  beginExchange,
  LATE_SECRET,
  recordAnswer,
  revealSecret,
  useLateSecretFolder,
} from '../testing/late-secret.ts';
import { isNote } from '../trace.ts';
import { readTrace } from './cassette.ts';
import { recoverCassette } from './finish.ts';
import { secretDigests } from './secret-digest.ts';

const folder = useLateSecretFolder();
const STREAM: HeaderPairs = [['content-type', 'text/event-stream']];

const escaped = [...LATE_SECRET].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('');
const deltas = [LATE_SECRET.slice(0, 8), LATE_SECRET.slice(8, 15), LATE_SECRET.slice(15)]
  .map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: delta } }] })}\n\n`)
  .join('');
const GZIP: HeaderPairs = [['content-encoding', 'gzip']];
/** Larger than the bodies that the journal keeps in its lines. */
const LARGE_GZIP = gzipSync(Buffer.concat([Buffer.from(LATE_SECRET), randomText(30_000)]));
const FORMS: readonly [string, string | Buffer, HeaderPairs][] = [
  ['compressed', gzipSync(`{"a":"${LATE_SECRET}"}`), GZIP],
  ['compressed and stored as a blob', LARGE_GZIP, [...GZIP, ['content-length', '1']]],
  ['compressed without a header that says so', gzipSync(`{"a":"${LATE_SECRET}"}`), []],
  ['compressed without a header that says so, and stored as a blob', LARGE_GZIP, []],
  ['cut into deltas', deltas, STREAM],
  ['cut into deltas and compressed', gzipSync(deltas), [...STREAM, ...GZIP]],
  [
    'in the data lines of one event',
    `data: ${LATE_SECRET.slice(0, 9)}\ndata: ${LATE_SECRET.slice(9)}\n\n`,
    STREAM,
  ],
  ['escaped in a body that the journal escapes again', `{"a":"${escaped}"}`, []],
  ...Object.entries(ENCODINGS).map(([name, encode]): [string, Buffer, HeaderPairs] => [
    `in ${name}`,
    Buffer.from(`{"a":"${encode(LATE_SECRET)}"}`, 'latin1'),
    [],
  ]),
];
/** The secret without its first and last character, which some encodings merge with what is next to them. */
const secretCore = LATE_SECRET.slice(1, -1).toLowerCase();

const isSecretOnDisk = () => decodeFiles(folder.path()).some((text) => text.includes(secretCore));

async function findLargestResponse(): Promise<HttpResponse> {
  const { items } = await readTrace(folder.path());
  const responses = items.flatMap((item) => (isNote(item) ? [] : (item.response ?? [])));
  const [largest] = responses.toSorted((a, b) => b.body.size - a.body.size);
  if (largest === undefined) throw new Error('nothing was recorded');
  return largest;
}

describe('a secret is removed from the disk when it becomes known', () => {
  test.each(FORMS)('if it is %s', async (_, body, headers) => {
    const cassette = folder.create();
    await recordAnswer(cassette, body, headers);
    expect(isSecretOnDisk()).toBe(true);
    revealSecret(cassette);
    expect(isSecretOnDisk()).toBe(false);
    expect(folder.disk()).not.toContain('"e":"secret"');
    cassette.close();
    expect(isSecretOnDisk()).toBe(false);
    recoverCassette(folder.path());
    expect(isSecretOnDisk()).toBe(false);
    const [first] = (await readTrace(folder.path())).items;
    if (first === undefined || isNote(first) || first.response === null) throw new Error('not recorded');
    const { response } = first;
    expect(decodedContent(response)?.bytes).toBeInstanceOf(Uint8Array);
    const length = firstHeader(response.headers, 'content-length');
    if (length !== null) expect(Number(length)).toBe(response.body.size);
  });

  test('if it is split between the bytes before and after it becomes known, in a stream that continues', async () => {
    const events = deltas.split(/(?<=\n\n)/);
    // Without `keepFields`, the values of fields that are named like secrets would be held back.
    const cassette = folder.create({ redactor: new Redactor({ keepFields: true }) });
    const recording = beginExchange(cassette);
    recording.response({ status: 200, reason: 'OK', headers: STREAM });
    recording.piece(Buffer.from(events[0] ?? ''));
    await recordAnswer(cassette, 'x');
    expect(folder.disk()).toContain(LATE_SECRET.slice(0, 8));
    const revealingRequest = revealSecret(cassette);
    // The beginning of the secret waits in memory for the rest.
    expect(folder.disk()).not.toContain(LATE_SECRET.slice(0, 8));
    for (const event of events.slice(1)) recording.piece(Buffer.from(event));
    await recording.end({ how: 'complete' });
    expect(isSecretOnDisk()).toBe(false);
    await revealingRequest.end({ how: 'complete' });
    cassette.finish();
    expect(isSecretOnDisk()).toBe(false);
    const streamed = Buffer.from((await findLargestResponse()).body.bytes ?? []).toString();
    expect(streamed.length).toBe(deltas.length);
    const content = [...streamed.matchAll(/"content":"([^"]*)"/g)].map(([, delta]) => delta).join('');
    expect(content).toMatch(/^redacted_1_[x/]{10}$/);
  });

  test('if it is in a compressed body that is not yet on the disk', async () => {
    const cassette = folder.create();
    const recording = beginExchange(cassette);
    recording.response({ status: 200, reason: 'OK', headers: GZIP });
    recording.piece(LARGE_GZIP);
    const ending = recording.end({ how: 'complete' });
    const revealingRequest = revealSecret(cassette);
    expect(isSecretOnDisk()).toBe(false);
    await Promise.all([ending, revealingRequest.end({ how: 'complete' })]);
    cassette.finish();
    expect(isSecretOnDisk()).toBe(false);
    const response = await findLargestResponse();
    expect(decodedContent(response)?.text).toMatch(/^redacted_1_/);
  });

  test('but content without it is unchanged', async () => {
    const cassette = folder.create();
    await recordAnswer(cassette, deltas.replaceAll(/[A-Z_]/g, 'x'), STREAM);
    await recordAnswer(cassette, gzipSync('nothing'), GZIP);
    const before = readFileSync(join(folder.path(), 'journal.jsonl'), 'utf8');
    revealSecret(cassette);
    expect(readFileSync(join(folder.path(), 'journal.jsonl'), 'utf8')).toBe(before);
    cassette.close();
  });

  test('but a blob that an earlier recording names is kept', async () => {
    const body = `${'x'.repeat(20_000)}${LATE_SECRET}`;
    const earlier = folder.create();
    await recordAnswer(earlier, body);
    earlier.finish();
    const cassette = folder.create({ mode: 'append' });
    await recordAnswer(cassette, body);
    revealSecret(cassette);
    cassette.close();
    const [first] = (await readTrace(folder.path())).items;
    if (first === undefined || isNote(first)) throw new Error('not recorded');
    expect(first.response?.body.text).toBe(body);
  });
});

async function writeInterruptedJournal(body: string | Buffer, headers: HeaderPairs): Promise<void> {
  const cassette = folder.create();
  await recordAnswer(cassette, body, headers);
  cassette.close();
  const lines = secretDigests(LATE_SECRET).map((line) => `${JSON.stringify(line)}\n`);
  appendFileSync(join(folder.path(), 'journal.jsonl'), lines.join(''));
}

describe('after a kill before the replacement, the secret is removed', () => {
  test.each(FORMS)('by a reader and by recovery if it is %s', async (_, body, headers) => {
    await writeInterruptedJournal(body, headers);
    expect(isSecretOnDisk()).toBe(true);
    const [read] = (await readTrace(folder.path())).items;
    recoverCassette(folder.path());
    expect(isSecretOnDisk()).toBe(false);
    const [recovered] = (await readTrace(folder.path())).items;
    for (const item of [read, recovered]) {
      if (item === undefined || isNote(item) || item.response === null) throw new Error('not recorded');
      const content = Buffer.from(decodedContent(item.response)?.bytes ?? []);
      expect(decodingsOfBody(content).filter((text) => text.includes(secretCore))).toEqual([]);
    }
    expect(folder.disk()).not.toContain('"e":"secret"');
  });

  test.each([
    ['megabytes of base64', 'z'.repeat(6_000_000)],
    ['half a million backslashes', `${'\\'.repeat(500_000)}u`],
  ])('by recovery if it follows %s', async (_, before) => {
    await writeInterruptedJournal(`${before} ${encodeURIComponent(LATE_SECRET)}`, []);
    recoverCassette(folder.path());
    expect((await findLargestResponse()).body.text?.slice(before.length)).toMatch(/^ redacted_1_/);
  });
});

test.runIf(process.platform === 'linux')(
  'a search for the secret that fails on a damaged journal closes it',
  async () => {
    await writeInterruptedJournal('x', []);
    const journal = join(folder.path(), 'journal.jsonl');
    appendFileSync(journal, 'damage\n');
    await expect(readTrace(folder.path())).rejects.toThrow('is not a line of a journal');
    const openFiles = readdirSync('/proc/self/fd').map((fd) => {
      const link = join('/proc/self/fd', fd);
      return existsSync(link) ? readlinkSync(link) : null;
    });
    expect(openFiles).not.toContain(realpathSync(journal));
  },
);

function randomText(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return 33 + (state % 90);
    }),
  );
}
