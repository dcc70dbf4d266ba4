import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-imported-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeJson(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
}

function vcrCassette(path: string, content: string) {
  const request = { method: 'GET', uri: `https://api.openai.com/v1/${path}`, headers: {} };
  const response = { status_code: 200, headers: { 'content-type': ['application/json'] }, content };
  return { interactions: [{ request, response }], version: 1 };
}

/** A list with a file whose purpose the specification lacks; the dialect `openai` excuses it. */
const LIST_WITH_NEW_PURPOSE = JSON.stringify({
  object: 'list',
  data: [
    {
      ...{ id: 'file-1', object: 'file', bytes: 1, created_at: 1_700_000_000, filename: 'a' },
      purpose: 'user_data',
    },
  ],
});

test('check names the format of the recording of another recorder', async () => {
  const { stdout, stderr } = await runAssay([
    'check',
    writeJson('vcr.json', vcrCassette('files', LIST_WITH_NEW_PURPOSE)),
  ]);
  expect(stderr).toContain('1 exchange. A VCR cassette contains neither the pieces of responses');
  // The word is matched as a whole, because the random name of the temporary folder may contain it.
  expect(`${stdout}${stderr}`).not.toMatch(/\bHAR\b/);
});

test('check proposes the dialect of api.openai.com if it excuses a failure and is not given', async () => {
  const hint = 'the target is api.openai.com: --dialect openai lists';
  const excused = writeJson('excused.json', vcrCassette('files', LIST_WITH_NEW_PURPOSE));
  expect((await runAssay(['check', excused])).stdout).toContain(hint);
  expect((await runAssay(['check', excused, '--dialect', 'openai'])).stdout).not.toContain(hint);
  const unexcused = await runAssay(['check', writeJson('unexcused.json', vcrCassette('models', '{}'))]);
  expect([unexcused.code, unexcused.stdout]).toEqual([1, expect.not.stringContaining(hint)]);
});

describe('a file whose paths lack /v1', () => {
  const root = ['--api-root', 'https://service.example/api'];
  const converted = () => join(folder, 'bare');
  let bare = '';
  beforeAll(async () => {
    const request = { method: 'GET', url: 'https://service.example/api/models', headers: {} };
    const headers = { 'content-type': 'application/json' };
    const response = { status: 200, headers, body: '{"object":"list","data":[]}' };
    bare = writeJson('bare.json', [{ request, response }]);
    await runAssay(['har', bare, ...root, '--out', converted()]);
  });

  test('is rejected with the --api-root to give', async () => {
    expect((await runAssay(['check', bare])).stderr).toContain('--api-root https://service.example/api\n');
  });

  test('is judged and shown with --api-root', async () => {
    const judged = await runAssay(['check', bare, ...root]);
    expect(judged.stderr).toContain('1 exchange. A list of requests contains neither');
    expect(judged.stdout).toContain('models');
    expect((await runAssay(['show', bare, ...root])).stdout).toContain('GET /v1/models');
  });

  test('is converted to a cassette whose paths have /v1', () => {
    expect(readFileSync(join(converted(), 'cassette.jsonl'), 'utf8')).toContain('"target":"/v1/models"');
  });

  test('is rejected with both --api-root and --base-url', async () => {
    const flags = [...root, '--base-url', 'https://service.example/v1', '--out', join(folder, 'x')];
    const { code, stderr } = await runAssay(['har', bare, ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--api-root and --base-url both name')]);
  });

  test('is rejected with --api-root once it is converted', async () => {
    const exported = join(folder, 'exported.har');
    await runAssay(['har', converted(), '--out', exported]);
    for (const [path, says] of [
      [converted(), 'is a cassette, with the paths as recorded: --api-root is for files'],
      [exported, 'was exported by assay, with the paths as recorded: leave out --api-root'],
    ] as const) {
      const { code, stderr } = await runAssay(['check', path, ...root]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    }
  });
});

test('check judges a HAR file by its content, and says what it lacks', async () => {
  const headers = [{ name: 'content-type', value: 'application/json' }];
  const entry = (method: string, url: string, content: object, more: object = {}) => ({
    startedDateTime: '2026-11-20T10:00:00.000Z',
    time: 5,
    request: {
      method,
      url,
      httpVersion: 'h2',
      headers: [],
      queryString: [],
      cookies: [],
      headersSize: -1,
      bodySize: 0,
      ...more,
    },
    response: {
      ...{ status: 200, statusText: '', httpVersion: 'h2', headers, cookies: [], redirectURL: '' },
      ...{ headersSize: -1, bodySize: -1, content: { mimeType: 'application/json', size: 0, ...content } },
    },
    cache: {},
    timings: { send: 0, wait: 5, receive: 0 },
  });
  const service = 'https://service.example/v1';
  const file = {
    id: 'file-1',
    object: 'file',
    bytes: 'many',
    created_at: 1,
    filename: 'a',
    purpose: 'batch',
  };
  const text = JSON.stringify({ object: 'list', data: [file] });
  const chat = {
    postData: { mimeType: 'application/json', text: '{"model":"m","messages":[]}' },
    bodySize: 27,
  };
  const answer = JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 'now',
    model: 'm',
    system_fingerprint: 'fp_1',
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
  });
  const entries = [
    entry('GET', `${service}/files`, { text, size: text.length }),
    // The browser evicted this response and the body of the next request. The last request is to another host.
    entry('POST', `${service}/chat/completions`, { size: 900 }, chat),
    entry('POST', `${service}/chat/completions`, { text: answer, size: answer.length }, { bodySize: 90 }),
    entry('GET', 'https://elsewhere.example/app.js', { text: '//', size: 2 }),
  ];
  const path = join(folder, 'browser.har');
  writeFileSync(
    path,
    JSON.stringify({ log: { version: '1.2', creator: { name: 'browser', version: '1' }, entries } }),
  );
  const { code, stdout, stderr } = await runAssay(['check', path]);
  expect(code).toBe(1);
  expect(stderr).toContain(`${path}: 3 exchanges, 1 left out`);
  expect(stderr).toContain('contains neither the pieces of responses');
  expect(stdout).toContain('FAIL  file:bytes#type');
  expect(stdout).toContain('FAIL  chat.completion:created#type');
});
