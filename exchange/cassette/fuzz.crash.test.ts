import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Exchange } from '../exchange.ts';
import { decodedContent } from '../http/content.ts';
import { eventsOf } from '../http/event-stream.ts';
import { formDataParts } from '../http/form-data.ts';
import { canonicalRequest, matchKey } from '../matching/request-key.ts';
import { createMutator } from '../testing/mutations.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { typeVariants } from '../testing/type-variants.ts';
import { isNote } from '../trace.ts';
import { Blobs } from './blobs.ts';
import { openCassette } from './cassette.ts';
import { CassetteError } from './cassette-error.ts';
import { createCassette } from './cassette-writer.ts';
import { isTimingLine, parseLines } from './line-shape.ts';
import { parseExchange } from './parse-exchange.ts';

const SEED = 20_260_119;
const LINES = propertyRuns(60_000);
const FILES = 400;
const EXCHANGE_WITH_BLOBS = 3;
/** Journal members that also accept some values of another type: a number, null, a text, or no entries. */
const MEMBERS_OF_SEVERAL_TYPES = [
  '/after',
  '/at',
  '/began',
  '/boundary',
  '/detail',
  '/ended',
  '/headers',
  '/pieces',
  '/pieces/0/0',
  '/pieces/0/1',
  '/scenario',
  '/size',
  '/status',
  '/trailers',
];

let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-fuzz-'));
  await record(join(root, 'c'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function record(dir: string): Promise<void> {
  const cassette = createCassette(dir, traceHeader());
  const recordExchange = async (
    type: string,
    pieces: readonly string[],
    body: string,
    headers: readonly (readonly [string, string])[] = [],
  ) => {
    const recording = cassette.begin({ method: 'POST', target: '/v1/chat/completions?a=b', headers });
    recording.requestBody(Buffer.from(body));
    recording.response({
      status: 200,
      reason: 'OK',
      headers: [
        ['Content-Type', type],
        ['Date', 'now'],
      ],
    });
    for (const piece of pieces) recording.piece(Buffer.from(piece, 'latin1'));
    await recording.end({ how: 'complete', trailers: [['X-Assay-T', '1']] });
  };
  const boundary = 'a-boundary-of-some-length';
  await recordExchange(
    'text/event-stream',
    ['data: {"a":[1]}\n\n: x\n', 'event: b\r\ndata: 2\r\n\r\n'],
    '{"stream":true}',
  );
  await recordExchange('application/json', ['{"a":{"b":[1,2,{"c":null}]}}\n'], '{"a":1}', [
    ['Authorization', 'Bearer Key-0123456789abcdef'],
  ]);
  await recordExchange(
    'image/png',
    ['\xff\xd8\xff'],
    `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--${boundary}--\r\n`,
    [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
  );
  await recordExchange('application/json', ['x'.repeat(10_000)], 'y'.repeat(10_000), [
    ['Content-Encoding', 'gzip'],
  ]);
  cassette.note({ note: 'remark', message: 'a note' });
  const open = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  await open.end({ how: 'upstream-reset', detail: 'ECONNRESET' });
  cassette.finish();
}

function readEverything({ request, response }: Exchange): void {
  matchKey(canonicalRequest(request, ['Vendor-Beta']));
  formDataParts(request);
  for (const message of [request, response]) {
    if (message === null) continue;
    attempt(() => message.body.bytes);
    attempt(() => [decodedContent(message)?.json, decodedContent(message)?.text, message.body.sha256]);
  }
  if (response !== null) attempt(() => eventsOf(response)?.events.map(({ json }) => json));
}

function attempt(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (error instanceof CassetteError || isReaderError(error)) return false;
    throw error;
  }
}

const LINE_PROBLEM =
  /^(?:it does not begin with a request|it has no end line|its line \d+ is not a line of a cassette|it is nested in more than \d+ levels|not a timing line)$/;

function isReaderError(error: unknown): boolean {
  if (error instanceof SyntaxError) return error.message.includes('JSON');
  return error instanceof Error && error.constructor === Error && LINE_PROBLEM.test(error.message);
}

test(`${LINES} mutated lines are read as exchanges, or rejected with an error that says what is wrong`, () => {
  const text = readFileSync(join(root, 'c', 'cassette.jsonl'), 'utf8');
  const timingLines = readFileSync(join(root, 'c', 'timing.jsonl'), 'utf8')
    .split('\n')
    .slice(1);
  const exchanges = text
    .split(/^(?=\{"e":"(?:request|note|close)")/m)
    .filter((lines) => lines.startsWith('{"e":"request"'));
  expect(exchanges).toHaveLength(5);
  const blobs = new Blobs(join(root, 'c'));
  const mutator = createMutator(SEED);
  let readCount = 0;
  for (let n = 0; n < LINES; n += 1) {
    // The exchange with blobs is rarely chosen, because it is the slowest.
    const index = n % 100 === 0 ? EXCHANGE_WITH_BLOBS : [0, 1, 2, 4][n % 4];
    const lines = mutator.mutateJson(exchanges[index ?? 0] ?? '');
    const timingLine = timingLines[index ?? 0] ?? '';
    const isRead = attempt(() => {
      const timing: unknown = JSON.parse(n % 3 === 0 ? mutator.mutateJson(timingLine) : timingLine);
      if (!isTimingLine(timing)) throw new Error('not a timing line');
      readEverything(parseExchange(parseLines(Buffer.from(lines)), timing, blobs));
    });
    if (isRead) readCount += 1;
  }
  // If fewer were read, the mutations would be too coarse to reach any check.
  expect(readCount).toBeGreaterThan(LINES / 20);
  expect(readCount).toBeLessThan(LINES);
});

test(`${FILES} mutated cassettes with a valid checksum are read, or rejected with a CassetteError`, async () => {
  const text = readFileSync(join(root, 'c', 'cassette.jsonl'), 'utf8');
  const mutator = createMutator(SEED + 1);
  const dir = join(root, 'c');
  let readCount = 0;
  for (let n = 0; n < FILES; n += 1) {
    writeFileSync(join(dir, 'cassette.jsonl'), seal(mutator.mutateJson(text)));
    try {
      const cassette = await openCassette(dir, { replay: n % 2 === 0 });
      try {
        for await (const item of cassette.items()) if (!isNote(item)) readEverything(item);
        for (let k = 0; k < cassette.size; k += 1)
          readEverything({ ...cassette.exchange(k), response: cassette.answer(k).response });
        readCount += 1;
      } finally {
        cassette.close();
      }
    } catch (error) {
      expect(error, `mutation ${n} of the seed ${SEED + 1}`).toBeInstanceOf(CassetteError);
    }
  }
  expect(readCount).toBeGreaterThan(0);
  writeFileSync(join(dir, 'cassette.jsonl'), text);
});

test('a journal in which a value of any line has another type is read, or rejected with a CassetteError that names the place', async () => {
  const dir = join(root, 'journal');
  const cassette = createCassette(dir, traceHeader(), { maxRequestBytes: 10 });
  cassette.note({ note: 'remark', message: 'a note' });
  for (const [type, body] of [
    ['text/event-stream', 'data: 1\n\n'],
    ['application/json', '{"a":1}'],
    ['image/png', 'x'.repeat(9_000)],
  ] as const) {
    const recording = cassette.begin({
      method: 'POST',
      target: '/v1/x',
      headers: [['Content-Type', 'multipart/form-data; boundary=a-boundary-of-some-length']],
    });
    recording.requestBody(Buffer.from(body));
    recording.response({ status: 200, reason: 'OK', headers: [['Content-Type', type]] });
    recording.piece(Buffer.from(body));
    await recording.end({ how: 'complete', detail: 'd', trailers: [['X-Assay-T', '1']] });
  }
  cassette.close();
  const file = join(dir, 'journal.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  let rejectedCount = 0;
  const accepted = new Set<string>();
  for (const [n, line] of lines.entries()) {
    for (const { path, value } of typeVariants(JSON.parse(line))) {
      writeFileSync(file, `${lines.with(n, JSON.stringify(value)).join('\n')}\n`);
      try {
        const opened = await openCassette(dir);
        for await (const item of opened.items()) if (!isNote(item)) readEverything(item);
        opened.close();
        accepted.add(path);
      } catch (error) {
        rejectedCount += 1;
        expect(error, `line ${n + 1}${path}`).toBeInstanceOf(CassetteError);
        expect(String(error), `line ${n + 1}${path}`).toMatch(/journal\.jsonl:\d+|blobs|cassette\.jsonl/);
      }
    }
  }
  expect([...accepted].toSorted()).toEqual(MEMBERS_OF_SEVERAL_TYPES);
  expect(rejectedCount).toBeGreaterThan(1_000);
});

function seal(text: string): string {
  const at = text.lastIndexOf('{"e":"close"');
  const [before, close] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  const sha256 = createHash('sha256').update(before).digest('hex');
  return before + close.replace(/"sha256":"[^"]*"/, `"sha256":"${sha256}"`);
}
