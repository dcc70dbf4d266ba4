import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTrace } from '../cassette/read/cassette.ts';
import { createCassette } from '../cassette/write/cassette-writer.ts';
import type { Exchange, HeaderPairs } from '../exchange.ts';
import { otherTypes } from '../testing/mutations.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote } from '../trace.ts';
import { HarError } from './format.ts';
import { importHar } from './read.ts';
import { exportHar } from './write.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-har-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string) => join(root, name);
const header = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });

function files(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name).slice(dir.length),
        readFileSync(join(entry.parentPath, entry.name), 'latin1'),
      ]),
  );
}

const boundary = 'a-boundary-that-is-long-enough';
const FORM = `--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\n${'y'.repeat(30_000)}\r\n--${boundary}--\r\n`;

/** A cassette with everything in it that a cassette can hold. */
async function everything(dir: string): Promise<void> {
  const cassette = createCassette(dir, traceHeader(), { keepRequests: 20_000 });
  cassette.note({ note: 'scenario-started', scenario: 'a.b' });
  const probe = {
    id: '1',
    operation: 'o',
    pointer: 'p',
    keyword: 'k',
    side: 'valid',
    control: null,
  } as const;
  const open = cassette.begin({
    method: 'GET',
    target: '/v1/models?a=1&b=%20',
    headers: [['Host', 'x']],
    scenario: 'a.b',
    probe,
  });
  const answers: [HeaderPairs, (string | Buffer)[]][] = [
    [
      [
        ['Content-Type', 'application/json'],
        ['Date', 'today'],
        ['X-Odd', 'secretive'],
      ],
      ['{"a":', '1}'],
    ],
    [[['content-type', 'text/event-stream']], ['data: 1\n\nda', 'ta: 2\r\n\r\n']],
    [[['Content-Encoding', 'gzip']], [gzipSync('hello '.repeat(50))]],
    [[['Content-Type', 'image/png']], [Buffer.alloc(10_000, 0xff), Buffer.from([1])]],
    [[], []],
  ];
  for (const [headers, pieces] of answers) {
    const recording = cassette.begin({
      method: 'POST',
      target: '/v1/x',
      headers: [['Authorization', 'Bearer sk-some-key-0123456789']],
    });
    recording.requestBody(Buffer.from([0xfe, 0xff]));
    recording.response({ status: 200, reason: 'Fine', headers });
    for (const piece of pieces) recording.piece(Buffer.from(piece));
    await recording.end({ how: 'complete', trailers: [['X-Assay-T', '1']] });
    cassette.note({ note: 'remark', message: `after ${pieces.length}` });
  }
  const form = cassette.begin({
    method: 'POST',
    target: '/v1/files',
    headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
  });
  form.requestBody(Buffer.from(FORM));
  await form.end({ how: 'upstream-timeout', detail: 'silent' });
  await open.end({ how: 'client-abort' });
  cassette.finish();
}

test('a cassette comes back from HAR byte for byte', async () => {
  await everything(at('a'));
  expect(await exportHar(at('a'), at('a.har'))).toEqual({ exchanges: 7 });
  expect(await importHar(at('a.har'), at('b'), { header })).toEqual({
    exchanges: 7,
    skipped: 0,
    quarantined: null,
  });
  expect(files(at('b'))).toEqual(files(at('a')));
});

test('the HAR is one that others read', async () => {
  await everything(at('a'));
  await exportHar(at('a'), at('a.har'));
  const { log } = JSON.parse(readFileSync(at('a.har'), 'utf8'));
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'assay' } });
  const [models, json, stream, gzip, image] = log.entries;
  expect(models.request).toMatchObject({
    url: 'http://127.0.0.1:1/v1/models?a=1&b=%20',
    queryString: [
      { name: 'a', value: '1' },
      { name: 'b', value: ' ' },
    ],
  });
  expect(json).toMatchObject({
    request: { postData: { text: '/v8=', _encoding: 'base64' }, bodySize: 2 },
    response: { status: 200, content: { size: 7, mimeType: 'application/json', text: '{"a":1}' } },
  });
  expect(stream.response.content.text).toBe('data: 1\n\ndata: 2\r\n\r\n');
  expect(gzip.response.content).toMatchObject({ size: 300, text: 'hello '.repeat(50) });
  expect(image.response.content).toMatchObject({ encoding: 'base64', size: 10_001 });
});

/** An entry as the developer tools of browsers save them. */
const entry = (url: string, more: object = {}, response: object = {}) => ({
  startedDateTime: '2026-01-01T00:00:00.000Z',
  time: 30,
  request: {
    method: 'GET',
    url,
    httpVersion: 'http/2.0',
    cookies: [],
    headers: [{ name: ':authority', value: 'x' }],
    queryString: [],
    headersSize: -1,
    bodySize: 0,
  },
  response: {
    status: 200,
    statusText: '',
    httpVersion: 'http/2.0',
    cookies: [],
    headers: [
      { name: 'content-encoding', value: 'br' },
      { name: 'content-length', value: '3' },
      { name: 'content-type', value: 'application/json' },
    ],
    content: { size: 8, mimeType: 'application/json', text: '{"a": 1}' },
    redirectURL: '',
    headersSize: -1,
    bodySize: 3,
    ...response,
  },
  cache: {},
  timings: { blocked: 1, dns: -1, connect: -1, ssl: -1, send: 1, wait: 20, receive: 8 },
  ...more,
});

async function imported(entries: readonly object[], options = {}) {
  writeFileSync(
    at('x.har'),
    `\uFEFF${JSON.stringify({ log: { version: '1.2', creator: { name: 'WebInspector', version: '1' }, entries } })}`,
  );
  const report = await importHar(at('x.har'), at('x'), { header, ...options });
  const { items } = await readTrace(at('x'));
  return { report, exchanges: items.filter((item): item is Exchange => !isNote(item)) };
}

describe('a file made by others', () => {
  test('gives the exchanges with the service, decoded, with their times', async () => {
    const { report, exchanges } = await imported([
      entry('https://cdn.example/app.js'),
      entry('https://api.example/base/v1/models?limit=2#top'),
      entry('wss://api.example/base/v1/ws', {}, { status: 101 }),
    ]);
    expect(report).toEqual({ exchanges: 1, skipped: 2, quarantined: null });
    expect(exchanges).toMatchObject([
      {
        request: { method: 'GET', target: '/v1/models?limit=2', headers: [] },
        response: {
          status: 200,
          headers: [
            ['content-length', '8'],
            ['content-type', 'application/json'],
          ],
          pieces: [{ offset: 0, at: 22 }],
        },
        end: { how: 'complete', at: 30 },
      },
    ]);
    expect(exchanges[0]?.response?.body.text).toBe('{"a": 1}');
  });

  test('is ordered by its clock; what overlaps proves nothing', async () => {
    const later = (seconds: number) => ({ startedDateTime: `2026-01-01T00:00:00.0${seconds}Z` });
    const { exchanges } = await imported([
      entry('https://api.example/v1/c', later(60)),
      entry('https://api.example/v1/a'),
      entry('https://api.example/v1/b', later(29)),
    ]);
    expect(exchanges.map(({ id, after, ended, request }) => [id, request.target, after, ended])).toEqual([
      ['e1', '/v1/a', 0, 1],
      ['e2', '/v1/b', 0, 2],
      ['e3', '/v1/c', 2, 3],
    ]);
  });

  test('loses its secrets, and keeps failures as failures', async () => {
    const key = 'sk-in-the-browser-0123456789';
    const request = (url: string) => ({
      request: { ...entry(url).request, headers: [{ name: 'authorization', value: `Bearer ${key}` }] },
    });
    const { exchanges } = await imported([
      entry('https://api.example/v1/a', request('https://api.example/v1/a'), {
        content: { size: 40, mimeType: 'text/plain', text: `you are ${key}` },
      }),
      entry(
        'https://api.example/v1/b',
        {},
        {
          status: 0,
          headers: [],
          content: { size: 0, mimeType: 'x-unknown' },
          _error: 'net::ERR_CONNECTION_REFUSED',
        },
      ),
    ]);
    expect(Object.values(files(at('x'))).join('')).not.toContain(key);
    expect(exchanges[0]?.response?.body.text).toContain('you are redacted_1_');
    expect(exchanges[1]).toMatchObject({
      response: null,
      end: { how: 'upstream-reset', detail: 'net::ERR_CONNECTION_REFUSED' },
    });
  });

  test('has forms where it tells only their fields', async () => {
    const post = (mimeType: string, more: object) => ({
      request: {
        ...entry('https://api.example/v1/f').request,
        method: 'POST',
        headers: [{ name: 'Content-Type', value: mimeType }],
        postData: { mimeType, ...more },
      },
    });
    const type = `multipart/form-data; boundary=${boundary}`;
    const { exchanges } = await imported([
      entry(
        'https://api.example/v1/f',
        post(type, {
          params: [
            { name: 'purpose', value: 'batch' },
            { name: 'file', fileName: 'a.jsonl' },
          ],
        }),
      ),
      entry(
        'https://api.example/v1/f',
        post('application/x-www-form-urlencoded', { params: [{ name: 'a', value: 'b c' }] }),
      ),
    ]);
    expect(exchanges[0]?.request.body.text).toContain('name="file"; filename="a.jsonl"');
    expect(exchanges[1]?.request.body.text).toBe('a=b+c');
  });

  test('that is none is refused with what to do', async () => {
    for (const [content, message] of [
      ['{', /is not a HAR file.*Save it again/],
      ['{"log":{}}', /has no log with entries/],
    ] as const) {
      writeFileSync(at('x.har'), content);
      await expect(importHar(at('x.har'), at('x'), { header })).rejects.toThrow(message);
    }
    await expect(imported([entry('https://cdn.example/app.js')])).rejects.toThrow(
      /Name the service with a base URL/,
    );
  });
});

describe('members of another type than HAR gives them', () => {
  const entry = {
    startedDateTime: '2026-01-01T00:00:00Z',
    time: 5,
    request: {
      method: 'POST',
      url: 'https://a.example/v1/chat/completions',
      headers: [{ name: 'a', value: 'b' }],
      bodySize: 2,
      postData: {
        mimeType: 'multipart/form-data; boundary=x',
        params: [{ name: 'n', value: 'v', fileName: 'f' }],
      },
    },
    response: {
      status: 200,
      statusText: 'OK',
      headers: [{ name: 'content-type', value: 'text/plain' }],
      content: { size: 2, mimeType: 'text/plain', text: 'ok', encoding: 'x' },
      bodySize: 2,
      _error: null,
    },
    timings: { blocked: 1, dns: -1, connect: 0, send: 1, wait: 1 },
  };
  const imported = async (har: unknown, name = 'c') => {
    writeFileSync(at('x.har'), JSON.stringify(har));
    return importHar(at('x.har'), at(name), { header });
  };

  test.each([
    ['.response.content', { ...entry, response: { ...entry.response, content: { text: 5 } } }],
    ['', null],
    ['', 'text'],
    ['.request', { ...entry, request: 'POST' }],
    ['.request.headers', { ...entry, request: { ...entry.request, headers: [null] } }],
    ['.response.status', { ...entry, response: { ...entry.response, status: '200' } }],
    ['._assay', { ...entry, _assay: { target: 5 } }],
  ])('entries[1]%s is named', async (path, wrong) => {
    const error: unknown = await imported({ log: { entries: [entry, wrong] } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(HarError);
    expect(String(error)).toContain(`x.har: log.entries[1]${path} is missing or has another type`);
    expect(existsSync(at('c'))).toBe(false);
  });

  test('at any place the file is read, or refused by HarError', async () => {
    await everything(at('ours'));
    await exportHar(at('ours'), at('ours.har'));
    const ours = JSON.parse(readFileSync(at('ours.har'), 'utf8'));
    const [first] = ours.log.entries;
    const documents = [{ log: { entries: [entry] } }, { log: { ...ours.log, entries: [first] } }];
    let [read, refused] = [0, 0];
    for (const document of documents) {
      for (const { path, value } of otherTypes(document)) {
        const name = `n${read + refused}`;
        try {
          await imported(value, name);
          read += 1;
          rmSync(at(name), { recursive: true });
        } catch (error) {
          refused += 1;
          expect(error, path).toBeInstanceOf(HarError);
        }
      }
    }
    expect(read).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(300);
  });
});
