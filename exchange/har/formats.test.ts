import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { HarError } from './format.ts';
import { readHarExchanges } from './read.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-formats-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const createHeader = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'recorded' } });

async function readCalls(name: string, content: string | Buffer) {
  const file = join(root, name);
  writeFileSync(file, content);
  const recording = await readHarExchanges(file, { header: createHeader, redactor: new Redactor() });
  return (recording?.exchanges ?? []).map(({ request, response, after, ended }) => ({
    call: `${request.method} ${request.target}`,
    sent: request.body.isKept ? request.body.text : null,
    status: response?.status ?? 0,
    answer: response?.body.text ?? null,
    order: [after, ended],
  }));
}

const SENT = '{"input":"é"}';
const ANSWER = '{"id":"modr-1","results":[]}';
const MODERATION = { call: 'POST /v1/moderations', sent: SENT, status: 200, answer: ANSWER };
const GZIPPED_ANSWER = gzipSync(ANSWER).toString('base64');

/** A cassette in the form that vcrpy up to version 5 writes for httpx. */
const HTTPX_CASSETTE = `interactions:
- request:
    body: '{"input":"é"}'
    headers:
      content-type:
      - application/json
    method: POST
    uri: https://api.example/v1/moderations
  response:
    content: '{"id":"modr-1","results":[]}'
    headers:
      Content-Type:
      - application/json
    http_version: HTTP/1.1
    status_code: 200
version: 1
`;

test.each([
  ['from httpx', HTTPX_CASSETTE],
  [
    'from Ruby',
    `---
http_interactions:
- request:
    method: post
    uri: https://api.example/v1/moderations
    body:
      encoding: UTF-8
      string: '{"input":"é"}'
    headers:
      Content-Type:
      - application/json
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - application/json
      Content-Encoding:
      - gzip
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        ${GZIPPED_ANSWER}
  recorded_at: Tue, 01 Nov 2022 04:58:44 GMT
recorded_with: VCR 6.1.0
`,
  ],
  [
    'from Python',
    `interactions:
- request:
    body: !!binary |
      ${Buffer.from(SENT).toString('base64')}
    headers:
      content-type:
      - application/json
    method: POST
    uri: https://api.example/v1/moderations
  response:
    body:
      string: '${ANSWER}'
    headers:
      Content-Type:
      - application/json
    status:
      code: 200
      message: OK
version: 1
`,
  ],
  [
    'in JSON',
    JSON.stringify({
      http_interactions: [
        {
          request: {
            method: 'post',
            uri: 'https://api.example/v1/moderations',
            body: { base64_string: Buffer.from(SENT).toString('base64') },
            headers: { 'Content-Type': ['application/json'] },
          },
          response: {
            status: { code: 200, message: 'OK' },
            headers: { 'Content-Type': ['application/json'] },
            body: { string: ANSWER },
          },
        },
      ],
    }),
  ],
])('a VCR cassette %s is read', async (_, content) => {
  expect(await readCalls('cassette.yml', content)).toEqual([{ ...MODERATION, order: [0, 1] }]);
});

test('a VCR cassette with CRLF line ends is read, even if its interactions are not first', async () => {
  const content = `version: 1\n${HTTPX_CASSETTE.replace('version: 1\n', '')}`.replaceAll('\n', '\r\n');
  expect(await readCalls('cassette.yml', content)).toMatchObject([MODERATION]);
});

test('a nock recording is read, and its calls have no order', async () => {
  const createCall = (more: object) => ({
    scope: 'https://api.example:443',
    method: 'POST',
    path: '/v1/moderations',
    body: { input: 'é' },
    status: 200,
    response: JSON.parse(ANSWER),
    rawHeaders: ['content-type', 'application/json'],
    responseIsBinary: false,
    ...more,
  });
  const coded = {
    response: [gzipSync(ANSWER).toString('hex')],
    rawHeaders: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  };
  const form = '--abc\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--abc--\r\n';
  const [gzipDigits = ''] = coded.response;
  const counted = {
    ...coded,
    rawHeaders: ['content-encoding', 'gzip', 'content-length', gzipDigits.length / 2],
  };
  const content = JSON.stringify([
    createCall({}),
    createCall(coded),
    createCall({ body: form }),
    createCall(counted),
  ]);
  expect(await readCalls('nock.json', content)).toEqual([
    { ...MODERATION, order: [0, 1] },
    { ...MODERATION, order: [0, 2] },
    { ...MODERATION, sent: form, order: [0, 3] },
    { ...MODERATION, order: [0, 4] },
  ]);
});

function encodeNetstring(value: unknown): Buffer {
  const encode = (payload: Buffer, type: string) =>
    Buffer.concat([Buffer.from(`${payload.length}:`), payload, Buffer.from(type)]);
  if (value === null) return encode(Buffer.alloc(0), '~');
  if (typeof value === 'string') return encode(Buffer.from(value), ',');
  if (typeof value === 'boolean') return encode(Buffer.from(String(value)), '!');
  if (typeof value === 'number')
    return encode(Buffer.from(String(value)), Number.isInteger(value) ? '#' : '^');
  if (Array.isArray(value)) return encode(Buffer.concat(value.map(encodeNetstring)), ']');
  const members = Object.entries(value as object).flatMap(([name, member]) => [
    encode(Buffer.from(name), ';'),
    encodeNetstring(member),
  ]);
  return encode(Buffer.concat(members), '}');
}

const createFlow = (more: object = {}) => ({
  type: 'http',
  request: {
    method: 'POST',
    scheme: 'https',
    host: 'api.example',
    port: 443,
    path: '/v1/moderations',
    headers: [['content-type', 'application/json']],
    content: SENT,
    timestamp_start: 1_700_000_000.5,
    timestamp_end: 1_700_000_000.6,
  },
  response: {
    status_code: 200,
    reason: 'OK',
    headers: [['content-type', 'application/json']],
    content: ANSWER,
    timestamp_end: 1_700_000_001.5,
  },
  error: null,
  ...more,
});

test('mitmproxy flows are read in the order of their times', async () => {
  const later = createFlow({
    request: {
      ...createFlow().request,
      content: null,
      timestamp_start: 1_700_000_002.5,
      timestamp_end: 1_700_000_002.6,
    },
    response: { ...createFlow().response, timestamp_end: 1_700_000_003.5 },
  });
  const flows = Buffer.concat([encodeNetstring(later), encodeNetstring(createFlow())]);
  expect(await readCalls('flows', flows)).toEqual([
    { ...MODERATION, order: [0, 1] },
    { ...MODERATION, sent: null, order: [1, 2] },
  ]);
});

test('mitmproxy flows with times that no date can express are read, without an order', async () => {
  const flows = [Number.NaN, 1e20].map((began) =>
    encodeNetstring(createFlow({ request: { ...createFlow().request, timestamp_start: began } })),
  );
  expect(await readCalls('flows', Buffer.concat(flows))).toEqual([
    { ...MODERATION, order: [0, 1] },
    { ...MODERATION, order: [0, 2] },
  ]);
});

test('mitmproxy flows of other kinds than HTTP are ignored', async () => {
  const flows = Buffer.concat([encodeNetstring({ type: 'tcp' }), encodeNetstring(createFlow())]);
  expect(await readCalls('flows', flows)).toEqual([{ ...MODERATION, order: [0, 1] }]);
});

test('a member of a mitmproxy flow whose name is not text is ignored', async () => {
  const flow = encodeNetstring(createFlow());
  const members = Buffer.concat([
    flow.subarray(flow.indexOf(':') + 1, -1),
    encodeNetstring({ toString: 'a' }),
    encodeNetstring('b'),
  ]);
  const content = Buffer.concat([Buffer.from(`${members.length}:`), members, Buffer.from('}')]);
  expect(await readCalls('flows', content)).toEqual([{ ...MODERATION, order: [0, 1] }]);
});

test('an exchange whose response body mitmproxy did not keep is read as aborted by the client', async () => {
  const streamed = createFlow({ response: { ...createFlow().response, content: null } });
  const file = join(root, 'streamed');
  writeFileSync(file, encodeNetstring(streamed));
  const recording = await readHarExchanges(file, { header: createHeader, redactor: new Redactor() });
  expect(recording?.exchanges.map(({ end }) => [end.how, end.detail])).toEqual([
    ['client-abort', 'the file does not contain the body'],
  ]);
});

const AZURE = {
  RequestUri: 'https://api.example/v1/moderations?api-version=1',
  RequestMethod: 'POST',
  RequestHeaders: { 'Content-Type': 'application/json', Accept: ['a', 'b'] },
  RequestBody: SENT,
  StatusCode: 200,
  ResponseHeaders: { 'Content-Type': 'application/json' },
  ResponseBody: ANSWER,
};
const sentRequest = {
  method: 'post',
  url: 'https://api.example/v1/moderations',
  headers: { 'content-type': 'application/json' },
  body: SENT,
};
const withJsonType = (member: object) => ({ ...member, headers: { 'Content-Type': 'application/json' } });

test.each<[string, unknown]>([
  [
    'one request and its response from a test agent',
    {
      request: sentRequest,
      response: { ...withJsonType({ status: { code: 200, message: 'OK' } }), body: ANSWER },
    },
  ],
  [
    'undici snapshots with bodies in base64',
    [
      {
        hash: 'h',
        snapshot: {
          request: sentRequest,
          responses: [
            {
              ...withJsonType({ statusCode: 200 }),
              body: Buffer.from(ANSWER).toString('base64'),
              trailers: {},
            },
          ],
          callCount: 0,
        },
      },
    ],
  ],
  [
    'a list of pairs with JSON bodies as values',
    [
      {
        request: { ...sentRequest, body: JSON.parse(SENT) },
        response: { ...withJsonType({ status: 200 }), body: JSON.parse(ANSWER) },
      },
    ],
  ],
  [
    'named pairs with header fields as lists, a path and a host',
    {
      name: 'session',
      exchanges: [
        {
          request: {
            method: 'POST',
            path: '/v1/moderations',
            headers: [
              { name: 'Host', value: 'api.example' },
              { name: 'content-type', value: 'application/json' },
            ],
            body: SENT,
          },
          response: {
            status_code: 200,
            headers: [
              ['content-type', 'application/json'],
              ['content-encoding', 'gzip'],
            ],
            body: GZIPPED_ANSWER,
            encoding: 'base64',
          },
        },
      ],
    },
  ],
])('requests with responses are read from JSON: %s', async (_, document) => {
  expect(await readCalls('pairs.json', JSON.stringify(document))).toEqual([{ ...MODERATION, order: [0, 1] }]);
});

test('a recording of the Azure test proxy is read', async () => {
  const document = { Entries: [AZURE], Variables: { seed: '1' } };
  expect(await readCalls('azure.json', JSON.stringify(document))).toMatchObject([
    { ...MODERATION, call: 'POST /v1/moderations?api-version=1' },
  ]);
});

test.each<[string, { type: string; body: unknown }, string]>([
  [
    'several lines',
    { type: 'text/event-stream', body: ['data: 1\n\n', 'data: 2\n\n'] },
    'data: 1\n\ndata: 2\n\n',
  ],
  ['bytes', { type: 'application/octet-stream', body: Buffer.from('a\0b').toString('base64') }, 'a\0b'],
  ['text that looks like base64', { type: 'text/plain', body: 'abcd' }, 'abcd'],
  ['no content', { type: 'application/json', body: [] }, ''],
])('a body of %s in a recording of the Azure test proxy is read', async (_, { type, body }, expected) => {
  const entry = { ...AZURE, ResponseHeaders: { 'Content-Type': type }, ResponseBody: body };
  const [call] = await readCalls('azure.json', JSON.stringify({ Entries: [entry] }));
  expect(call?.answer).toBe(expected);
});

test('every response to equal requests is read', async () => {
  const responses = ['{"n":1}', '{"n":2}'].map((text) => ({
    statusCode: 200,
    headers: {},
    body: Buffer.from(text).toString('base64'),
  }));
  const calls = await readCalls(
    'twice.json',
    JSON.stringify([{ snapshot: { request: sentRequest, responses } }]),
  );
  expect(calls.map(({ answer }) => answer)).toEqual(['{"n":1}', '{"n":2}']);
});

describe('a service without /v1 in its paths', () => {
  const listWithPath = (path: string) =>
    JSON.stringify([
      {
        request: { ...sentRequest, url: `https://api.example${path}` },
        response: { status: 200, body: ANSWER },
      },
    ]);

  test('is rejected with the option that reads it', async () => {
    const file = join(root, 'x');
    await expect(
      readCalls('x', listWithPath('/openai/deployments/large/moderations?api-version=1')),
    ).rejects.toThrow(
      `${file} has no request for a path with /v1. Its paths lack it: read them with --api-root https://api.example/openai/deployments/large`,
    );
    await expect(readCalls('x', listWithPath('/other'))).rejects.toThrow(
      'Name the service with --api-root URL',
    );
  });

  test.each(['https://api.example/openai', 'https://api.example/openai/', 'https://api.example/openai/v1'])(
    'is read with %s',
    async (apiRoot) => {
      const file = join(root, 'x');
      writeFileSync(file, listWithPath('/openai/moderations?a=1'));
      const options = { header: createHeader, apiRoot, redactor: new Redactor() };
      const recording = await readHarExchanges(file, options);
      expect(recording?.exchanges.map(({ request }) => request.target)).toEqual(['/v1/moderations?a=1']);
    },
  );
});

test('warnings of the YAML parser are not shown', async () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on('warning', listen);
  const text = HTTPX_CASSETTE.replace('status_code: 200', 'status_code: 200\n    !unknown tagged: 1');
  expect(await readCalls('x.yaml', text)).toMatchObject([MODERATION]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

describe('an unreadable file', () => {
  const entry = {
    request: { method: 'GET', url: 'https://api.example/v1/models', headers: [] },
    response: { status: 200, headers: [], content: { size: 2, mimeType: 'application/json', text: '{}' } },
  };
  const har = JSON.stringify({ log: { version: '1.2', creator: {}, entries: [entry, entry, entry] } });
  const offsetOf = (n: number) => har.split('"request"').slice(0, n).join('"request"').length + 40;
  test.each<[string, string | Buffer, RegExp]>([
    [
      'a HAR file that is cut off in its third entry',
      har.slice(0, offsetOf(3)),
      /x is not a HAR file: it is cut off in log\.entries\[2\]\. Save it again/,
    ],
    [
      'a HAR file that is damaged elsewhere',
      `${har.slice(0, -1)},}`,
      /is not a HAR file: (?!it is cut off).*Save it again/,
    ],
    [
      'a flow that is cut off',
      encodeNetstring(createFlow()).subarray(0, 300),
      /x: flow 1 is cut off at byte 300\. Record it again/,
    ],
    ['a flow that is damaged', Buffer.from('3:abc,x'), /x: flow 2 is damaged at byte 6/],
    ['a flow with another type', Buffer.from('3:abc?'), /x: flow 1 has a value of an unknown type at byte 5/],
    [
      'a cassette without requests',
      'http_interactions:\n- response: {}\n',
      /http_interactions\[0\] has no request or no response/,
    ],
    ['text after many blank lines', `${'\n'.repeat(1500)}no interactions`, /x is not a HAR file/],
    ['invalid YAML', 'interactions:\n- "a\n  b: [', /x: is not valid YAML: /],
    [
      'a flow with a fraction as its status',
      encodeNetstring(createFlow({ response: { ...createFlow().response, status_code: 0.5 } })),
      /x: flow 1 has a response without a valid status/,
    ],
    [
      'a recording of nock with a fraction as its status',
      '[{"scope":"https://a","path":"/v1/models","status":200.5}]',
      /\[0\] has no scope, path, method or status/,
    ],
    [
      'a pair with a fraction as its status',
      '[{"request":{"method":"GET","url":"http://a/v1/models"},"response":{"status":200.5}}]',
      /the response of pair 1 has no status/,
    ],
    ['a recording of nock without a path', '[{"scope":"https://a"}]', /\[0\] has no scope, path/],
    [
      'other JSON',
      '{"a":1}',
      /not a recording of VCR, nock or mitmproxy or a list of requests with responses/,
    ],
    [
      'a pair without a URL',
      '[{"request":{"method":"GET"},"response":{"status":200}}]',
      /the request of pair 1 has no method, or no URL/,
    ],
    [
      'a pair without a status',
      '[{"request":{"method":"GET","url":"http://a/v1/models"},"response":{}}]',
      /the response of pair 1 has no status/,
    ],
    [
      'invalid base64',
      har.replace('"text":"{}"', '"text":"{}","encoding":"base64"'),
      /x: log\.entries\[0\] contains text that is declared as base64 but is not/,
    ],
  ])('is rejected with its name and the problem: %s', async (_, content, message) => {
    const error: unknown = await readCalls('x', content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HarError);
    expect(String(error)).toContain(join(root, 'x'));
    expect(String(error)).toMatch(message);
  });

  test.each([
    ['an empty file', '', 'is empty'],
    ['a file with a line break alone', '\n', 'is empty'],
    ['a HAR file without exchanges', '{"log":{"entries":[]}}', 'has no exchange over HTTP'],
    ['a VCR cassette without exchanges', 'http_interactions: []\n', 'has no exchange over HTTP'],
    ['an empty list, as nock also writes it', '[]', 'has no exchange over HTTP'],
    ['a flow file without HTTP', encodeNetstring({ type: 'tcp' }), 'has no exchange over HTTP'],
  ])('is rejected with the advice to record again: %s', async (_, content, problem) => {
    await expect(readCalls('x', content)).rejects.toThrow(
      new HarError(`${join(root, 'x')} ${problem}. Record the traffic again.`),
    );
  });

  test('is rejected with the limit if it has 1 GB', async () => {
    const file = join(root, 'large.har');
    writeFileSync(file, '');
    truncateSync(file, 1024 ** 3);
    await expect(readHarExchanges(file, { header: createHeader, redactor: new Redactor() })).rejects.toThrow(
      `${file} is 1024 MB, more than the 256 MB that can be read. Save fewer exchanges`,
    );
  });
});

test('members that some programs omit or write as null are optional', async () => {
  const bare = {
    request: { method: 'GET', url: 'https://api.example/v1/models', headers: [{ name: 'x-a', value: null }] },
    response: { status: 204 },
  };
  const calls = await readCalls('x', JSON.stringify({ log: { entries: [bare] } }));
  expect(calls).toMatchObject([{ call: 'GET /v1/models', status: 204, answer: '' }]);
});

test.each([
  ['null in an object', { 'x-request-id': null }],
  ['null in a flat list', ['x-request-id', null]],
  ['null in a list of pairs', [['x-request-id', null]]],
  ['an object in a list of pairs', [['x-request-id', { toString: 'a' }]]],
])('a header field whose value is %s is empty', async (_, headers) => {
  const file = join(root, 'x');
  const response = { status: 200, headers, body: ANSWER };
  writeFileSync(file, JSON.stringify([{ request: sentRequest, response }]));
  const recording = await readHarExchanges(file, { header: createHeader, redactor: new Redactor() });
  expect(recording?.exchanges[0]?.response?.headers).toContainEqual(['x-request-id', '']);
});

async function readEntries(entries: readonly object[]): Promise<(string | null)[][]> {
  const calls = await readCalls('x', JSON.stringify({ log: { version: '1.2', creator: {}, entries } }));
  return calls.map(({ call, answer }) => [call, answer]);
}

const createEntry = (host: string, text: string, more: object = {}) => ({
  request: { method: 'GET', url: `https://${host}/v1/models`, headers: [] },
  response: { status: 200, headers: [], content: { size: 2, mimeType: 'application/json', text } },
  ...more,
});

test('a JSON reference in a HAR file is not resolved', async () => {
  const entry = createEntry('a.example', '{"$ref":"#"}', { cache: { $ref: '#/log/entries/1' } });
  expect(await readEntries([entry])).toEqual([['GET /v1/models', '{"$ref":"#"}']]);
});

test.each(['https://a.example', 'https://a.example:443/v1'])(
  'entries whose URLs have the default port are read with --base-url %s',
  async (baseUrl) => {
    const file = join(root, 'x');
    writeFileSync(file, JSON.stringify({ log: { entries: [createEntry('a.example:443', '{}')] } }));
    const options = { header: createHeader, baseUrl, redactor: new Redactor() };
    const recording = await readHarExchanges(file, options);
    expect(recording?.exchanges.map(({ request }) => request.target)).toEqual(['/v1/models']);
    expect(recording?.header.target.baseUrl).toBe('https://a.example/v1');
  },
);

test.each(['b.example', 'a.example:80'])(
  'entries of another host or port than most requests name, such as %s, are not read',
  async (otherService) => {
    const entries = [
      createEntry(otherService, '{"n":1}'),
      createEntry('a.example', '{"n":2}'),
      createEntry('a.example', '{"n":3}'),
    ];
    expect(await readEntries(entries)).toEqual([
      ['GET /v1/models', '{"n":2}'],
      ['GET /v1/models', '{"n":3}'],
    ]);
  },
);
