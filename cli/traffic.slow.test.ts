import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUpstream } from '../proxy/testing/upstream.ts';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-traffic-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');

test('har converts a cassette to a file, and the file to the same cassette', async () => {
  const [file, back] = [join(folder, 'a.har'), join(folder, 'back')];
  expect((await runAssay(['har', CASSETTE, '--out', file])).stderr).toContain(`exchanges written to ${file}`);
  expect((await runAssay(['har', file, '--out', back])).code).toBe(0);
  expect(text(back)).toBe(text(CASSETTE));
});

test('har rejects a file that is not a HAR file', async () => {
  writeFileSync(join(folder, 'b.har'), '{}');
  const { code, stderr } = await runAssay(['har', join(folder, 'b.har'), '--out', join(folder, 'b')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not a HAR file')]);
});

test('har rejects a folder to write to, and leaves nothing', async () => {
  const taken = join(folder, 'taken');
  mkdirSync(taken);
  const onFolder = await runAssay(['har', CASSETTE, '--out', taken]);
  expect([onFolder.code, onFolder.stderr]).toEqual([2, expect.stringContaining(`${taken} is a folder`)]);
  expect([existsSync(`${taken}.tmp`), readdirSync(taken)]).toEqual([false, []]);
});

test('har rejects a service that is not in the file, and leaves nothing', async () => {
  const [file, out] = [join(folder, 'two-hosts.har'), join(folder, 'none-of-it')];
  const entries = ['https://a.example/v1/models', 'https://b.example/x', 'data:,'].map((url) => ({
    request: { method: 'GET', url, headers: [], bodySize: 0 },
    response: { status: 200, statusText: '', headers: [], content: { size: 0 } },
  }));
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  const other = await runAssay(['har', file, '--out', out, '--base-url', 'https://c.example/v1']);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('no complete exchange with https://c.example/v1');
  expect(other.stderr).toContain('https://a.example, https://b.example.');
  expect(existsSync(out)).toBe(false);
});

test('scan finds nothing in a clean cassette', async () => {
  expect((await runAssay(['scan', CASSETTE])).code).toBe(0);
});

test('scan prints the place of a key, and not the key', async () => {
  const copy = join(folder, 'leaky');
  cpSync(CASSETTE, copy, { recursive: true });
  const key = `sk-${'aB3x'.repeat(8)}`;
  writeFileSync(join(copy, 'timing.jsonl'), `{"x":"${key}"}\n`);
  const found = await runAssay(['scan', copy]);
  expect([found.code, found.stdout]).toEqual([1, `${join(copy, 'timing.jsonl')}:1  an API key\n`]);
  expect(found.stderr).not.toContain(key);
});

test('scan finds the secrets that --secret-env names', async () => {
  const named = await runAssay(['scan', CASSETTE, '--secret-env', 'MINE'], {
    env: { MINE: 'How is the weather' },
  });
  expect([named.code, named.stdout]).toEqual([1, expect.stringContaining('a known secret')]);
});

test('scan searches any other file as text', async () => {
  const key = `sk-proj-${'aB3x'.repeat(8)}`;
  const [har, coded] = ['keys.har', 'coded.har'].map((name) => join(folder, name));
  const content = { text: Buffer.from(`{"key":"${key}"}`).toString('base64'), encoding: 'base64' };
  writeFileSync(`${har}`, `{"log":\n{"entries":[{"headers":[{"name":"x","value":"${key}"}]}]}}`);
  writeFileSync(`${coded}`, JSON.stringify({ log: { entries: [{ response: { content } }] } }));
  const found = await runAssay(['scan', `${har}`, `${coded}`, CASSETTE]);
  expect(found.stdout).toBe(`${har}:2  an API key\n${coded}:1  an API key in decoded content\n`);
  expect([found.code, found.stderr]).toEqual([1, '2 places that may contain a secret\n']);
  const clean = await runAssay(['scan', 'LICENSE']);
  expect([clean.code, clean.stdout]).toEqual([0, '']);
});

test('scan rejects a compressed file', async () => {
  const packed = join(folder, 'keys.gz');
  writeFileSync(packed, gzipSync('any'));
  const { code, stderr } = await runAssay(['scan', packed]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be searched')]);
});

test('scan rejects a folder without a cassette', async () => {
  const { code, stderr } = await runAssay(['scan', folder]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${folder} does not contain a cassette`)]);
});

test('replay --why says that no recording answers a request', async () => {
  const file = join(folder, 'request.txt');
  writeFileSync(file, 'GET /v1/models\n\n');
  const { code, stdout } = await runAssay(['replay', CASSETTE, '--why', file]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('No recorded exchange answers  GET /v1/models'),
  ]);
});

test('replay --why rejects a file that is not a request', async () => {
  const file = join(folder, 'no-request.txt');
  writeFileSync(file, 'not a request');
  expect((await runAssay(['replay', CASSETTE, '--why', file])).stderr).toContain('is not a request line');
});

function writeJson(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
}

function vcrCassette(path: string, content: string) {
  const request = { method: 'GET', uri: `https://api.openai.com/v1/${path}`, headers: {} };
  const response = { status_code: 200, headers: { 'content-type': ['application/json'] }, content };
  return { interactions: [{ request, response }], version: 1 };
}

/** A list of one file in the form of today's service, whose purpose the specification lacks. */
const LIST_OF_TODAY = JSON.stringify({
  object: 'list',
  data: [
    {
      ...{ id: 'file-1', object: 'file', bytes: 1, created_at: 1_700_000_000, filename: 'a' },
      purpose: 'user_data',
    },
  ],
});

test('check names the kind of another recorder', async () => {
  const { stdout, stderr } = await runAssay([
    'check',
    writeJson('vcr.json', vcrCassette('files', LIST_OF_TODAY)),
  ]);
  expect(stderr).toContain('1 exchange. A VCR cassette contains neither the pieces of responses');
  // The word is matched as a whole, because the random name of the temporary folder may contain it.
  expect(`${stdout}${stderr}`).not.toMatch(/\bHAR\b/);
});

test('check proposes the dialect of api.openai.com if it excuses a failure and is not given', async () => {
  const hint = 'the target is api.openai.com: --dialect openai lists';
  const excused = writeJson('excused.json', vcrCassette('files', LIST_OF_TODAY));
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
    expect(text(converted())).toContain('"target":"/v1/models"');
  });

  test('takes only one of --api-root and --base-url', async () => {
    const flags = [...root, '--base-url', 'https://service.example/v1', '--out', join(folder, 'x')];
    const { code, stderr } = await runAssay(['har', bare, ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--api-root and --base-url both name')]);
  });

  test('needs no --api-root once converted, which is then rejected', async () => {
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
    // The browser evicted the first body and did not keep the second request; the third comes from another host.
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

test('record, watch and verify send --header instead of what the client sends, and keep it secret', async () => {
  const secret = 'azure-0123456789-abcdef';
  const seen: unknown[] = [];
  const { url, close } = await startUpstream((request, response) => {
    seen.push(request.headers['api-key']);
    response.setHeader('content-type', 'application/json');
    response.end('{"object":"list","data":[]}');
  });
  const ask = "fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { 'api-key': 'own' } })";
  const cassette = join(folder, 'given');
  const report = join(folder, 'given-report');
  const command = ['--base-url', url, '--header', `api-key: ${secret}`];
  const client = ['--', process.execPath, '-e', ask];
  const recorded = await runAssay(['record', ...command, '--cassette', cassette, ...client]);
  const watched = await runAssay([
    'watch',
    ...command,
    '--report-dir',
    report,
    '--fail-on',
    'never',
    ...client,
  ]);
  const verified = await runAssay(['verify', cassette, ...command]);
  await close();
  expect(seen).toEqual([secret, secret, secret]);
  expect([recorded.code, verified.code]).toEqual([0, 0]);
  for (const file of [join(cassette, 'cassette.jsonl'), join(report, 'cassette', 'cassette.jsonl')])
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
  expect(recorded.stdout + recorded.stderr + watched.stdout + watched.stderr).not.toContain(secret);
});

test('record rejects a --header whose name is not that of a header field', async () => {
  const flags = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', join(folder, 'unnamed')];
  const { code, stderr } = await runAssay(['record', ...flags, '--header', 'a b: c', '--', process.execPath]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('"a b" is not the name of a header field')]);
});

test('record names traffic that it forwards without recording, and exits with 1', async () => {
  const { url, close } = await startUpstream((_, response) => response.end('{}'));
  const upgrade = `const { port } = new URL(process.env.OPENAI_BASE_URL);
    const socket = require('net').connect(port, '127.0.0.1');
    socket.write('GET /v1/realtime HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
    socket.resume();`;
  const flags = ['--base-url', url, '--cassette', join(folder, 'upgraded')];
  const { code, stderr } = await runAssay(['record', ...flags, '--', process.execPath, '-e', upgrade]);
  await close();
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('1 connection (upgraded, or requested by CONNECT) unrecorded'),
  ]);
});

test('a choice that a dialect pins fails the run if the target takes another alternative', async () => {
  const reasonsWith = async (alternative: string) => {
    const file = join(folder, 'pinned.json');
    const choices = { 'runs.usage.while-waiting': alternative };
    writeFileSync(file, JSON.stringify({ format: 1, name: 'own', errata: [], choices }));
    const out = join(folder, 'pinned');
    await runAssay(['check', CASSETTE, '--dialect', file, '--report', 'json', '--report-dir', out]);
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).summary.reasons;
  };
  const pinned = 'the choice runs.usage.while-waiting is "null", but the dialect pins it to "told"';
  expect(await reasonsWith('told')).toContain(pinned);
  expect(await reasonsWith('null')).not.toContain(pinned);
});
