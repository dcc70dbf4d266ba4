import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { zipOf } from '../testing/zip.ts';
import { isNote } from '../trace.ts';
import { readTrace } from './cassette.ts';
import { createCassette } from './cassette-writer.ts';
import { scanFileForSecrets, scanForSecrets, scanQuickly } from './secret-scan.ts';

const SECRET = 'sk-Canary_42+abc/XYZ-and-more';
const createRedactor = () => new Redactor({ secrets: [SECRET] });
/** No redactor knows it, but it looks like a secret. */
const KEY = `sk-${'aB3'.repeat(8)}`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-leaks-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function record(body: Buffer | string, headers: HeaderPairs): Promise<string> {
  const cassette = createCassette(join(dir, 'c'), traceHeader());
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers });
  recording.piece(Buffer.from(body));
  await recording.end({ how: 'complete' });
  cassette.finish();
  return join(dir, 'c');
}

const deltas = ['sk-Canary_', '42+abc/XYZ', '-and-more']
  .map((d) => `data: ${JSON.stringify({ d })}\n\n`)
  .join('');
const stream: HeaderPairs = [['Content-Type', 'text/event-stream']];

test.each<[string, Buffer | string, HeaderPairs]>([
  ['in a line', `{"a":"${SECRET}"}`, []],
  ['in base64', JSON.stringify({ a: Buffer.from(`x${SECRET}y`).toString('base64') }), []],
  ['in a blob', `${'x'.repeat(1_100_000)}${SECRET}`, []],
  ['in a compressed body', gzipSync(SECRET), [['content-encoding', 'gzip']]],
  ['cut into deltas', deltas, stream],
  ['cut into deltas and compressed', gzipSync(deltas), [...stream, ['content-encoding', 'gzip']]],
])('a known secret %s is found', async (_, body, headers) => {
  const cassette = await record(body, headers);
  const [secret] = scanForSecrets(cassette, createRedactor(), 'known');
  expect(secret?.what).toBe('a known secret');
  expect(secret?.file).toContain(body.length > 1_000_000 ? 'blobs' : 'cassette.jsonl');
  if (!secret?.file.includes('blobs')) expect(secret?.line).toBeGreaterThanOrEqual(2);
});

test('an unknown value that looks like a secret is reported by kind and place, without the value, but an alias is not reported', async () => {
  const cassette = await record(JSON.stringify({ a: KEY, b: 'Bearer redacted_1_xxxxxxxxxxxxxxxx' }), []);
  const secrets = scanForSecrets(cassette, new Redactor(), 'known-and-shapes');
  expect(secrets).toEqual([{ file: join(cassette, 'cassette.jsonl'), line: 4, what: 'an API key' }]);
});

test('the quick scan finds text that looks like a secret, and gives up if lines and blobs are too large', async () => {
  const body = `${KEY} ${'x'.repeat(20_000)}`;
  const cassette = await record(body, []);
  expect(scanQuickly(cassette, 1e6)).toEqual([
    { file: expect.stringContaining('blobs'), line: null, what: 'an API key' },
  ]);
  // The blob alone has this size.
  expect(scanQuickly(cassette, body.length)).toBeNull();
});

test('an ordinary id is not mistaken for a secret', async () => {
  const cassette = await record('{"id":"file-abcdefghijklmnopqrstuvwx"}', []);
  expect(scanQuickly(cassette, 1e6)).toEqual([]);
  expect(scanForSecrets(cassette, createRedactor(), 'known-and-shapes')).toEqual([]);
});

test.each(['known', 'known-and-shapes'] as const)(
  'a secret in decoded content before a damaged exchange is reported; if there is none, the damage is (%s)',
  async (kinds) => {
    const cassette = createCassette(join(dir, 'c'), traceHeader());
    for (const [headers, body] of [
      [stream, deltas],
      [[], 'x'.repeat(20_000)],
    ] as const) {
      const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
      recording.response({ status: 200, reason: 'OK', headers });
      recording.piece(Buffer.from(body));
      await recording.end({ how: 'complete' });
    }
    cassette.finish();
    rmSync(join(dir, 'c', 'blobs'), { recursive: true });
    expect(scanForSecrets(join(dir, 'c'), createRedactor(), kinds)).toEqual([
      { file: join(dir, 'c', 'cassette.jsonl'), line: 2, what: expect.stringContaining('a known secret') },
    ]);
    expect(() => scanForSecrets(join(dir, 'c'), new Redactor(), kinds)).toThrow('blob');
  },
);

test('an error other than damage is thrown even if a secret was found', async () => {
  const cassette = await record(`${deltas}data: ${SECRET}\n\n`, stream);
  expect(scanForSecrets(cassette, createRedactor(), 'known')).not.toEqual([]);
  const defective = new (class extends Redactor {
    override createStreamSearch(): never {
      throw new TypeError('a defect');
    }
  })({ secrets: [SECRET] });
  expect(() => scanForSecrets(cassette, defective, 'known')).toThrow('a defect');
});

test('a body of another size than its line states is reported as damage by readers, and by the scan unless it finds a secret', async () => {
  const cassette = await record(`{"a":"${SECRET}"}`, []);
  const file = join(cassette, 'cassette.jsonl');
  const [lines = '', close = ''] = readFileSync(file, 'utf8').split(/^(?=\{"e":"close")/m);
  const forged = lines.replace(/"size":\d+/, '"size":3');
  const sha256 = createHash('sha256').update(forged).digest('hex');
  writeFileSync(file, forged + close.replace(/"sha256":"[^"]*"/, `"sha256":"${sha256}"`));
  expect(scanForSecrets(cassette, createRedactor(), 'known-and-shapes')).toHaveLength(1);
  const problem =
    'exchange e1: the response body has 37 bytes instead of 3. Restore it from version control, ';
  const error = (place: string) =>
    expect.objectContaining({
      name: 'CassetteError',
      message: expect.stringContaining(`${place}: ${problem}`),
    });
  expect(() => scanForSecrets(cassette, new Redactor(), 'known-and-shapes')).toThrow(error(`${file}:2`));
  // The line is unknown once the files are closed.
  const [item] = (await readTrace(cassette)).items;
  expect(() => item !== undefined && !isNote(item) && item.response?.body.bytes).toThrow(error(file));
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const escaped = [...KEY].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
const percent = [...KEY].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
const events = (parts: readonly string[], event: (part: string) => string) =>
  parts.map((part) => `data: ${event(part)}\n\n`).join('');
const letters = [...KEY];
const chat = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });

// The scan takes hours if each backslash begins another search of the rest of the run.
test('a long run of backslashes is scanned within the timeout of a test', async () => {
  const cassette = await record(`key \\\\u0041${'\\'.repeat(1_000_000)}x`, []);
  expect(scanForSecrets(cassette, new Redactor(), 'known-and-shapes')).toEqual([]);
});

test('a secret that only its member name reveals is found in JSON escapes', async () => {
  const secret = 'k9X2vQ7mZ4pL8wR1tY6uB3nC5dF0gH+jS/aE8iO2';
  const hex = [...secret].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
  const cassette = await record(`{"aws private part":"${hex}"}`, []);
  expect(scanForSecrets(cassette, new Redactor(), 'known-and-shapes')).toHaveLength(1);
});

test.each<[string, Buffer | string, HeaderPairs]>([
  ['cut into the deltas of a stream', events(letters, chat), stream],
  ['cut into text events', events(letters, (letter) => letter), stream],
  ['cut into deltas without a media type', events(letters, chat), []],
  [
    'cut into the deltas of two alternating choices',
    events(letters, (content) =>
      JSON.stringify({
        choices: [
          { index: 0, delta: { content } },
          { index: 1, delta: { content: '.' } },
        ],
      }),
    ),
    stream,
  ],
  [
    'cut into deltas and compressed',
    gzipSync(events(letters, chat)),
    [...stream, ['content-encoding', 'gzip']],
  ],
  ['in base64 in JSON', JSON.stringify({ a: base64(`the key is ${KEY}`) }), []],
  ['in base64 of base64', JSON.stringify({ a: base64(base64(`the key is ${KEY}`)) }), []],
  ['in JSON escapes', `{"a":"${escaped}"}`, []],
  ['in JSON escapes within a JSON string', JSON.stringify({ a: `{"b":"${escaped}"}` }), []],
  ['percent-encoded', `a=${percent}`, []],
  ['percent-encoded twice', `a=${percent.replaceAll('%', '%25')}`, []],
  ['in HTML entities', letters.map((letter) => `&#${letter.charCodeAt(0)};`).join(''), []],
  ['in hexadecimal', `{"a":"${Buffer.from(KEY).toString('hex')}"}`, []],
  ['in an undeclared gzip file', gzipSync(KEY), []],
  ['in a gzip file in base64', JSON.stringify({ a: gzipSync(KEY).toString('base64') }), []],
  ['in a zip file', zipOf({ 'a.txt': `key ${KEY}` }), []],
  [
    'in a gzip file of a form',
    Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'),
      gzipSync(KEY),
      Buffer.from('\r\n--b--\r\n'),
    ]),
    [['Content-Type', 'multipart/form-data; boundary=b']],
  ],
  [
    'in the tokens of logprobs',
    JSON.stringify({ logprobs: letters.map((token) => ({ token, logprob: 0 })) }),
    [],
  ],
  [
    'in the bytes of logprobs',
    JSON.stringify({ logprobs: letters.map((token) => ({ bytes: [...Buffer.from(token)] })) }),
    [],
  ],
])('text that looks like a secret is found %s', async (_, body, headers) => {
  const cassette = await record(body, headers);
  const found = scanForSecrets(cassette, new Redactor(), 'known-and-shapes');
  expect(found).toEqual([
    { file: join(cassette, 'cassette.jsonl'), line: 2, what: 'an API key in decoded content' },
  ]);
});

test('text that looks like a secret is found after megabytes of backslashes and of hexadecimal digits', async () => {
  const cassette = await record(`${'\\'.repeat(1_000_000)} ${'a'.repeat(4_000_000)} ${escaped}`, []);
  const found = scanForSecrets(cassette, new Redactor(), 'known-and-shapes');
  expect(found.map(({ what }) => what)).toEqual(['an API key in decoded content']);
});

test('a secret in the timing file does not hide one in decoded content of another exchange', async () => {
  const cassette = createCassette(join(dir, 'c'), traceHeader());
  for (const body of [base64(`the key is ${KEY}`), 'plain']) {
    const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
    recording.response({ status: 200, reason: 'OK', headers: [['x-request-id', 'placeholder']] });
    recording.piece(Buffer.from(body));
    await recording.end({ how: 'complete' });
  }
  cassette.finish();
  const timing = join(dir, 'c', 'timing.jsonl');
  const [header, first, second = ''] = readFileSync(timing, 'utf8').split('\n');
  writeFileSync(timing, [header, first, second.replace('placeholder', KEY), ''].join('\n'));
  expect(scanForSecrets(join(dir, 'c'), new Redactor(), 'known-and-shapes')).toEqual([
    { file: timing, line: 3, what: 'an API key' },
    { file: join(dir, 'c', 'cassette.jsonl'), line: 2, what: 'an API key in decoded content' },
  ]);
});

test('secrets in streams, nested JSON and base64 of a HAR file are found', () => {
  const texts = [
    events(letters, chat),
    base64(`the key is ${KEY}`),
    JSON.stringify({ a: `{"b":"${escaped}"}` }),
  ];
  for (const indent of [0, 2])
    for (const text of texts) {
      const file = join(dir, 'a.har');
      writeFileSync(
        file,
        JSON.stringify({ log: { entries: [{ response: { content: { text } } }] } }, null, indent),
      );
      const kinds = scanFileForSecrets(file, new Redactor())?.map(({ what }) => what);
      expect(kinds).toEqual(['an API key in decoded content']);
    }
});

test('a file is searched through a link, and named by it', () => {
  const link = join(dir, 'link.txt');
  writeFileSync(join(dir, 'a.txt'), KEY);
  symlinkSync('a.txt', link);
  expect(scanFileForSecrets(link, new Redactor())).toEqual([{ file: link, line: 1, what: 'an API key' }]);
});

test('no committed cassette holds text that looks like a secret', () => {
  const root = fileURLToPath(new URL('../../cassettes', import.meta.url));
  const folders = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('cassette.jsonl'),
  );
  expect(folders.length).toBeGreaterThan(0);
  for (const name of folders)
    expect(scanForSecrets(dirname(join(root, name)), new Redactor(), 'known-and-shapes')).toEqual([]);
});
