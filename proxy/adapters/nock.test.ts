import { readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import nock from 'nock';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { recordingHeader } from '../record/recording-header.ts';
import { recordSession, runOpenaiSession } from '../testing/openai-session.ts';
import { createReplayFixture, postRequest, responseText } from '../testing/replay-fixture.ts';
import { type Nocked, toNock, UnsupportedByNock } from './nock.ts';

const fixture = createReplayFixture();
let nocked: Nocked | null = null;
afterEach(() => {
  nocked?.restore();
  nocked = null;
  expect(nock.pendingMocks()).toEqual([]);
});
// The next test file runs in the same process, where nock would still intercept every request.
afterAll(() => nock.restore());

const BASE = 'https://service.example/api/v1';

async function load(exchanges: Parameters<typeof fixture.writeCassette>[0], options = {}): Promise<string> {
  nocked = await toNock(await fixture.writeCassette(exchanges), { baseUrl: BASE, ...options });
  return nocked.url;
}

test('a client in the same process receives the same responses as from the service', async () => {
  const live = await recordSession(fixture.path('c'));
  nocked = await toNock(fixture.path('c'), { baseUrl: BASE, strict: true });
  expect(await runOpenaiSession(nocked.url, 'sk-any-key-will-do-here')).toEqual(live);
  expect(nocked.report()).toMatchObject({ failed: false, unusedRecordings: [], misses: [] });
});

test('repeats are answered in order; an exhausted or unknown request gets 501', async () => {
  const url = await load([
    { body: '{"a":1}', pieces: [['first', 0]] },
    { body: '{"a":1}', pieces: [['second', 0]] },
    { method: 'GET', target: '/v1/models' },
  ]);
  expect(url).toBe(BASE);
  expect([
    await responseText(postRequest(url, '{"a": 1}')),
    await responseText(postRequest(url, '{"a":1}')),
  ]).toEqual(['first', 'second']);
  const answers = [await postRequest(url, '{"a":1}'), await postRequest(url, '{"a":2}')];
  expect(answers.map(({ status, headers }) => [status, headers.get('x-assay-error')])).toEqual([
    [501, 'exhausted'],
    [501, 'miss'],
  ]);
  expect(nocked?.report()).toMatchObject({ answered: 2, leftoverCount: 1, failed: true });
});

test('a path that only begins with the letters of the prefix is reported whole', async () => {
  await load([{ method: 'GET', target: '/v1/models' }]);
  const answer = await fetch('https://service.example/apiary/models');
  expect(await answer.json()).toMatchObject({
    error: { message: expect.stringContaining('No recorded exchange answers GET /apiary/models.') },
  });
});

test('a repeated miss names the nearest recording, prevents retries, and counts once', async () => {
  const url = await load([{ body: '{"a":1}' }]);
  const answers = [await postRequest(url, '{"a":2}'), await postRequest(url, '{"a":2}')];
  for (const answer of answers) {
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await answer.json()).toMatchObject({
      error: {
        message:
          'No recorded exchange answers POST /v1/chat/completions. Nearest: e1 POST /v1/chat/completions, which differs in body /a.',
      },
    });
  }
  expect(nocked?.report().misses).toHaveLength(1);
});

test('binary forms are matched by their content', async () => {
  const boundary = 'a-boundary-of-some-length';
  const content = Buffer.from([0xff, 0x00, 0xfe]);
  const postFile = (url: string, bytes: Uint8Array<ArrayBuffer>) => {
    const body = new FormData();
    body.append('file', new File([bytes], 'a.bin', { type: 'application/octet-stream' }));
    return fetch(`${url}/files`, { method: 'POST', body });
  };
  const dir = fixture.path('form');
  const writer = createCassette(dir, recordingHeader(BASE, { key: true }));
  const recording = writer.begin({
    method: 'POST',
    target: '/v1/files',
    headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
  });
  recording.requestBody(
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
      content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  );
  recording.response({ status: 200, reason: 'OK', headers: [] });
  await recording.end({ how: 'complete' });
  writer.finish();
  nocked = await toNock(dir);
  expect((await postFile(nocked.url, Buffer.from([0xff, 0x00, 0xfd]))).status).toBe(501);
  expect((await postFile(nocked.url, content)).status).toBe(200);
});

test('a binary body of megabytes that was not recorded gets 501', async () => {
  const url = await load([{ body: '{}' }]);
  const body = Buffer.alloc(4_000_000, 0xff);
  expect((await fetch(`${url}/chat/completions`, { method: 'POST', body })).status).toBe(501);
});

test('repeated and empty header fields of a response are kept', async () => {
  // The values of cookies are redacted.
  const cookies = ['a=1', 'b=2'].map((cookie) => ['Set-Cookie', cookie] as const);
  const url = await load([{ body: '{}', answerHeaders: [...cookies, ['X-Empty', '']] }]);
  const { headers } = await postRequest(url, '{}');
  expect(headers.getSetCookie()).toEqual(['a=r', 'b=r']);
  expect(headers.get('x-empty')).toBe('');
});

test('the final statistics remain available after the interceptors are removed', async () => {
  await load([{ body: '{}' }]);
  const report = nocked?.restore();
  expect(report).toMatchObject({ leftoverCount: 1, unusedRecordings: [{ exchange: 'e1' }] });
  expect(nocked?.report()).toEqual(report);
  expect(nocked?.restore()).toEqual(report);
});

test('a recording that cannot be read is an error of the request, and is counted', async () => {
  const url = await load([{ body: '{}' }], { strict: false });
  writeFileSync(join(fixture.path(), 'cassette.jsonl'), '');
  await expect(postRequest(url, '{}')).rejects.toThrow();
  expect(nocked?.report()).toMatchObject({ answered: 1, unreadable: 1, failed: true });
});

test('a body that turns out to be damaged while it is sent breaks the response off, and is counted', async () => {
  const url = await load([{ body: '{}', pieces: [['a'.repeat(20_000), 0]] }], { strict: false });
  const [blob] = readdirSync(fixture.path(), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{64}/.test(name),
  );
  writeFileSync(join(fixture.path(), blob ?? 'no blob'), 'b'.repeat(20_000));
  await expect(responseText(postRequest(url, '{}'))).rejects.toThrow();
  expect(nocked?.report()).toMatchObject({ answered: 1, unreadable: 1, failed: true });
});

describe('endings', () => {
  const stream = {
    body: '{}',
    answerHeaders: [['content-type', 'text/event-stream']] as const,
    pieces: [['data: 1\n\n', 0]] as const,
  };

  test('a truncated stream is replayed truncated', async () => {
    const url = await load([{ ...stream, how: 'upstream-reset' }]);
    const answer = await postRequest(url, '{}');
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    await expect(reader?.read()).rejects.toThrow();
  });

  test('a stream that the client aborted is truncated after its pieces, and the reason is reported', async () => {
    const messages: string[] = [];
    const url = await load([{ ...stream, how: 'client-abort' }], {
      onCut: (message: string) => messages.push(message),
    });
    const reader = (await postRequest(url, '{}')).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    await expect(reader?.read()).rejects.toThrow();
    expect(messages).toEqual([expect.stringContaining('recorded in e1 disconnected before')]);
  });

  test('a connection without a response is reset', async () => {
    const url = await load([{ method: 'GET', target: '/v1/x', isAnswered: false, how: 'upstream-reset' }]);
    await expect(fetch(`${url}/x`)).rejects.toThrow();
    const overHttp = await toNock(fixture.path(), { baseUrl: 'http://service.example/v1' });
    const error = await new Promise<NodeJS.ErrnoException>((resolve) =>
      http.get(`${overHttp.url}/x`).on('error', resolve),
    );
    overHttp.restore();
    expect(error.code).toBe('ECONNRESET');
  });
});

test('a cassette with trailers is rejected', async () => {
  const dir = fixture.path('trailers');
  const writer = createCassette(dir, recordingHeader(BASE, { key: true }));
  const recording = writer.begin({ method: 'GET', target: '/v1/x', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: [] });
  await recording.end({ how: 'complete', trailers: [['X-Assay-T', '1']] });
  writer.finish();
  await expect(toNock(dir)).rejects.toThrow(UnsupportedByNock);
  await expect(toNock(dir)).rejects.toThrow(/e1 of .* has trailers.*replay\(\)/);
});
