import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTrace } from '../cassette/cassette.ts';
import type { Exchange } from '../exchange.ts';
import { formDataParts } from '../http/form-data.ts';
import { readAllContents } from '../testing/snapshot.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote } from '../trace.ts';
import { importHar } from './read.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-har-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const pathOf = (name: string) => join(root, name);
const header = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });

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

async function importEntries(entries: readonly object[], options = {}) {
  writeFileSync(
    pathOf('x.har'),
    `\uFEFF${JSON.stringify({ log: { version: '1.2', creator: { name: 'WebInspector', version: '1' }, entries } })}`,
  );
  const report = await importHar(pathOf('x.har'), pathOf('x'), { header, ...options });
  const { items } = await readTrace(pathOf('x'));
  return { report, exchanges: items.filter((item): item is Exchange => !isNote(item)) };
}

describe('a file of another program', () => {
  test('contains the exchanges with the service, decoded, with their times', async () => {
    const { report, exchanges } = await importEntries([
      entry('https://cdn.example/app.js'),
      entry('https://api.example/base/v1/models?limit=2#top'),
      entry(
        'wss://api.example/base/v1/ws',
        { _webSocketMessages: [{ type: 'receive', data: '{}' }] },
        { status: 101 },
      ),
    ]);
    expect(report).toEqual({
      kind: 'HAR file',
      exchanges: 1,
      isExport: false,
      skipped: 2,
      quarantined: null,
    });
    expect(exchanges).toMatchObject([
      {
        request: { method: 'GET', target: '/v1/models?limit=2', headers: [['host', 'x']] },
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

  test('is ordered by its timestamps, and an exchange follows only those that ended before it began', async () => {
    const later = (milliseconds: number) => ({ startedDateTime: `2026-01-01T00:00:00.0${milliseconds}Z` });
    const { exchanges } = await importEntries([
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

  test('is read so that an exchange without a start overlaps all others', async () => {
    const { exchanges } = await importEntries([
      entry('https://api.example/v1/a'),
      entry('https://api.example/v1/b', { startedDateTime: null }),
    ]);
    expect(exchanges.map(({ request, after, ended }) => [request.target, after, ended])).toEqual([
      ['/v1/a', 0, 1],
      ['/v1/b', 0, 2],
    ]);
  });

  test('is redacted', async () => {
    const key = 'sk-in-the-browser-0123456789';
    const request = (url: string) => ({
      request: { ...entry(url).request, headers: [{ name: 'authorization', value: `Bearer ${key}` }] },
    });
    const { exchanges } = await importEntries([
      entry('https://api.example/v1/a', request('https://api.example/v1/a'), {
        content: { size: 40, mimeType: 'text/plain', text: `you are ${key}` },
      }),
    ]);
    expect(readAllContents(pathOf('x'))).not.toContain(key);
    expect(exchanges[0]?.response?.body.text).toContain('you are redacted_1_');
  });

  test('has a refused connection as an upstream reset without a response', async () => {
    const { exchanges } = await importEntries([
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
    expect(exchanges[0]).toMatchObject({
      response: null,
      end: { how: 'upstream-reset', detail: 'net::ERR_CONNECTION_REFUSED' },
    });
  });

  test('has the content of forms that it stores only as lists of fields', async () => {
    const post = (mimeType: string, more: object) => ({
      request: {
        ...entry('https://api.example/v1/f').request,
        method: 'POST',
        headers: [{ name: 'Content-Type', value: mimeType }],
        postData: { mimeType, ...more },
      },
    });
    const type = 'multipart/form-data; boundary=a-boundary-that-is-long-enough';
    const { exchanges } = await importEntries([
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
    expect(exchanges[0]?.request.body.parts).toMatchObject([
      { name: 'purpose', filename: null, body: { isUnknown: false, size: 5 } },
      { name: 'file', filename: 'a.jsonl', body: { isUnknown: true } },
    ]);
    expect(exchanges[1]?.request.body.text).toBe('a=b+c');
  });

  test.each([
    ['a Content-Type without a boundary', [{ name: 'content-type', value: 'multipart/form-data' }]],
    ['no Content-Type', []],
  ])('shows the fields of a form with %s', async (_, headers) => {
    const { request } = entry('https://api.example/v1/f');
    const params = [
      { name: 'purpose', value: 'batch' },
      { name: 'file', fileName: 'a.jsonl' },
    ];
    const postData = { mimeType: 'multipart/form-data', params };
    const { exchanges } = await importEntries([
      entry('https://api.example/v1/f', {
        request: { ...request, method: 'POST', bodySize: -1, headers, postData },
      }),
    ]);
    const sent = exchanges[0]?.request;
    expect(sent === undefined ? null : formDataParts(sent)).toMatchObject([
      { name: 'purpose', body: { text: 'batch' } },
      { name: 'file', body: { isUnknown: true } },
    ]);
  });

  test.each([
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=b', /^--b\r\n.*name="a"\r\n\r\nb\r\n--b--/s],
  ])('has the type of a form that only its list of fields states: %s', async (mimeType, text) => {
    const { request } = entry('https://api.example/v1/f');
    const postData = { mimeType, params: [{ name: 'a', value: 'b' }] };
    const { exchanges } = await importEntries([
      entry('https://api.example/v1/f', { request: { ...request, method: 'POST', headers: [], postData } }),
    ]);
    expect(exchanges[0]?.request.headers).toContainEqual(['content-type', mimeType]);
    expect(exchanges[0]?.request.body.text).toEqual(
      typeof text === 'string' ? text : expect.stringMatching(text),
    );
  });

  test.each([undefined, 'application/json'])(
    'has an unknown body for fields of the type %s',
    async (mimeType) => {
      const { request } = entry('https://api.example/v1/f');
      const postData = { mimeType, params: [{ name: 'a', value: 'b' }] };
      const { exchanges } = await importEntries([
        entry('https://api.example/v1/f', { request: { ...request, method: 'POST', bodySize: 0, postData } }),
      ]);
      expect(exchanges[0]?.request.body).toMatchObject({ isUnknown: true });
    },
  );

  test.each([
    ['{', /is not a HAR file.*Save it again/],
    ['{"log":{}}', /it has no log\.entries/],
  ])('is rejected if it contains only %s', async (content, message) => {
    writeFileSync(pathOf('x.har'), content);
    await expect(importHar(pathOf('x.har'), pathOf('x'), { header })).rejects.toThrow(message);
  });

  test('is rejected with the hosts in it if none of them is known to be the service', async () => {
    await expect(importEntries([entry('https://cdn.example/app.js')])).rejects.toThrow(
      /Name the service with --api-root URL.* The file has exchanges with: https:\/\/cdn\.example\./,
    );
  });
});
