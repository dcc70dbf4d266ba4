import fs, { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { recoverCassette } from '../../exchange/cassette/finish.ts';
import { isNote } from '../../exchange/trace.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';
import { type RecordOptions, startRecorder } from './record.ts';

const fixture = createRecordFixture();
const { start, startCountingService } = fixture;

const post = async (url: string, body: string) => (await fetch(`${url}/x`, { method: 'POST', body })).text();

const readCassetteText = () => readFileSync(join(fixture.cassette(), 'cassette.jsonl'), 'utf8');

async function restart(mode: 'record' | 'new' | 'auto', options: Partial<RecordOptions> = {}) {
  const baseUrl = `http://${fixture.serviceHost()}/v1`;
  await fixture.stopRecorder();
  return startRecorder({ baseUrl, cassette: fixture.cassette(), mode, ...options });
}

describe('a second recording into the same folder', () => {
  test('keeps the old cassette until the new one is complete', async () => {
    await post((await startCountingService()).url, 'a');
    const recorder = await restart('record');
    const old = readCassetteText();
    await post(recorder.url, 'b');
    expect(readCassetteText()).toBe(old);
    expect(await recorder.close()).toMatchObject({ recorded: 1, exchanges: 1 });
    expect(readCassetteText()).toContain('"2 b"');
    expect(readCassetteText()).not.toContain('"1 a"');
  });

  test('keeps the old cassette if the service refused the key for all requests, but not if only for some', async () => {
    let status = 200;
    const { url } = await start((_req, res) => res.writeHead(status).end('{}'));
    await post(url, 'a');
    const denied = await restart('record');
    const old = readCassetteText();
    status = 401;
    await post(denied.url, 'a');
    const aside = `${fixture.cassette()}.failed`;
    expect(await denied.close()).toMatchObject({ recorded: 1, isDenied: true, aside });
    expect(readCassetteText()).toBe(old);
    expect(existsSync(join(aside, 'cassette.jsonl'))).toBe(true);
    const mixed = await restart('record');
    await post(mixed.url, 'a');
    status = 404;
    await post(mixed.url, 'b');
    expect(await mixed.close()).toMatchObject({ recorded: 2, isDenied: false, aside: null });
    expect((await readTrace(fixture.cassette())).items).toHaveLength(2);
  });

  test('replaces a cassette that consists of refusals alone', async () => {
    await post((await start((_req, res) => res.writeHead(403).end('{}'))).url, 'a');
    const recorder = await restart('record');
    await post(recorder.url, 'b');
    expect(await recorder.close()).toMatchObject({ recorded: 1, isDenied: false, aside: null });
    expect(readCassetteText()).toContain('"text":"b"');
  });

  test('keeps the old cassette permanently if nothing was recorded', async () => {
    await post((await startCountingService()).url, 'a');
    const recorder = await restart('record');
    const old = readCassetteText();
    await recorder.close();
    expect(readCassetteText()).toBe(old);
    expect(existsSync(`${fixture.cassette()}.recording`)).toBe(false);
  });

  test('in mode new keeps apart scopes, whose header field the first recorder did not send to the service', async () => {
    const seen: string[] = [];
    const { url } = await start((req, res) => res.end(String(seen.push(JSON.stringify(req.rawHeaders)))));
    const requestInScope = async (at: string, scope: string) =>
      (await fetch(`${at}/x`, { headers: { 'X-Assay-Scope': scope } })).text();
    expect([await requestInScope(url, 'a'), await requestInScope(url, 'b')]).toEqual(['1', '2']);
    const recorder = await restart('new');
    expect([await requestInScope(recorder.url, 'b'), await requestInScope(recorder.url, 'a')]).toEqual([
      '2',
      '1',
    ]);
    expect(await recorder.close()).toMatchObject({ replayed: 2, recorded: 0 });
    expect(seen.join().toLowerCase()).not.toContain('x-assay-scope');
    expect(readCassetteText()).toContain('["X-Assay-Scope","b"]');
  });

  test('in mode new compares with the given options, and records what was sent', async () => {
    await post((await startCountingService()).url, '{"a":"on 2024-05-01"}');
    const recorder = await restart('new', { matching: { normalise: ['date'] } });
    expect(await post(recorder.url, '{"a":"on 2031-12-09"}')).toBe('1 {"a":"on 2024-05-01"}');
    expect(await post(recorder.url, '{"b":"on 2031-12-09"}')).toBe('2 {"b":"on 2031-12-09"}');
    expect(await recorder.close()).toMatchObject({ replayed: 1, recorded: 1 });
    const { items } = await readTrace(fixture.cassette());
    expect(items.at(-1)).toMatchObject({ request: { body: { text: '{"b":"on 2031-12-09"}' } } });
  });

  test('in mode new with an invalid option leaves the cassette free', async () => {
    await post((await startCountingService()).url, 'a');
    await expect(restart('new', { matching: { normalise: ['pattern:('] } })).rejects.toThrow(
      'not a supported regular expression',
    );
    await (await restart('new')).close();
  });

  test('in mode new replays known requests and adds unknown ones', async () => {
    await post((await startCountingService()).url, 'a');
    const recorder = await restart('new');
    expect([
      await post(recorder.url, 'a'),
      await post(recorder.url, 'b'),
      await post(recorder.url, 'a'),
    ]).toEqual(['1 a', '2 b', '3 a']);
    expect(await recorder.close()).toEqual({
      recorded: 2,
      exchanges: 3,
      replayed: 1,
      missed: 0,
      unrecorded: 0,
      beyondLimit: 0,
      diskFailed: 0,
      upgraded: 0,
      starved: 0,
      unanswered: 0,
      unreachable: null,
      isDenied: false,
      quarantined: null,
      aside: null,
    });
    const third = await restart('new');
    expect([await post(third.url, 'a'), await post(third.url, 'a'), await post(third.url, 'b')]).toEqual([
      '1 a',
      '3 a',
      '2 b',
    ]);
    expect(await third.close()).toMatchObject({ recorded: 0, exchanges: 3, replayed: 3 });
  });

  test('in mode auto replays and calls no service', async () => {
    const first = await start(async (req, res) => res.end(await requestBodyOf(req)), { mode: 'auto' });
    await post(first.url, 'a');
    const recorder = await restart('auto');
    await fixture.stopService();
    expect(await post(recorder.url, 'a')).toBe('a');
    expect(await post(recorder.url, 'b')).toContain('No recorded exchange answers');
    expect(await recorder.close()).toEqual({
      recorded: 0,
      exchanges: 1,
      replayed: 1,
      missed: 1,
      unrecorded: 0,
      beyondLimit: 0,
      diskFailed: 0,
      upgraded: 0,
      starved: 0,
      unanswered: 0,
      unreachable: null,
      isDenied: false,
      quarantined: null,
      aside: null,
    });
  });
});

test('a cassette that is in use is rejected with an error that names the recording process', async () => {
  const { url: baseUrl } = await startCountingService();
  await post(baseUrl, 'a');
  await expect(startRecorder({ baseUrl, cassette: fixture.cassette() })).rejects.toThrow(
    `is being recorded by process ${process.pid}`,
  );
});

test('a cassette whose folder cannot be created is rejected with a reason', async () => {
  const file = join(dirname(fixture.cassette()), 'file');
  writeFileSync(file, '');
  await expect(startRecorder({ baseUrl: 'http://localhost/v1', cassette: join(file, 'c') })).rejects.toThrow(
    /cannot be created: E(NOTDIR|EXIST)/,
  );
});

test('a base URL of another scheme is rejected', async () => {
  const options = { baseUrl: 'ftp://x', cassette: fixture.cassette() };
  await expect(startRecorder(options)).rejects.toThrow(/not an HTTP URL/);
});

describe('a recording left by a killed recorder', () => {
  function simulateKill(name: string): string {
    const copy = `${fixture.cassette()}-${name}`;
    fs.cpSync(`${fixture.cassette()}.recording`, `${copy}.recording`, { recursive: true });
    writeFileSync(join(`${copy}.recording`, 'lock'), '999999999 1\n');
    return copy;
  }

  test('is found under the name of its cassette', async () => {
    await post((await startCountingService()).url, 'a');
    expect((await readTrace(simulateKill('read'))).items).toHaveLength(1);
  });

  test.each(['new', 'auto'] as const)('answers in mode %s', async (mode) => {
    const { url: baseUrl } = await startCountingService();
    await post(baseUrl, 'a');
    const recorder = await startRecorder({ baseUrl, cassette: simulateKill(mode), mode });
    expect(await post(recorder.url, 'a')).toBe('1 a');
    expect(await recorder.close()).toMatchObject({ recorded: 0, replayed: 1, exchanges: 1 });
  });

  test('is set aside, even if the next recording is empty', async () => {
    const { url: baseUrl } = await startCountingService();
    await post(baseUrl, 'a');
    const cassette = simulateKill('record');
    const aside = `${cassette}.interrupted`;
    const warnings: string[] = [];
    const collectWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', collectWarning);
    try {
      await (await startRecorder({ baseUrl, cassette })).close();
    } finally {
      process.off('warning', collectWarning);
    }
    expect(warnings).toEqual([expect.stringContaining(`npx assay recover ${aside}`)]);
    const readBodies = async (dir: string) =>
      (await readTrace(dir)).items.map((item) => !isNote(item) && item.request.body.text);
    expect([await readBodies(cassette), await readBodies(aside)]).toEqual([[], ['a']]);
    const recorder = await startRecorder({ baseUrl, cassette });
    await post(recorder.url, 'b');
    await recorder.close();
    expect([await readBodies(cassette), await readBodies(aside)]).toEqual([['b'], ['a']]);
    recoverCassette(aside);
    expect(await readBodies(aside)).toEqual(['a']);
  });

  test('is not read while there is a cassette under its name', async () => {
    const { url: baseUrl } = await startCountingService();
    await post(baseUrl, 'a');
    const half = simulateKill('half');
    await fixture.stopRecorder();
    fs.cpSync(fixture.cassette(), half, { recursive: true });
    const journal = join(`${half}.recording`, 'journal.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"text":"a"', '"text":"z"'));
    expect((await readTrace(half)).items).toMatchObject([{ request: { body: { text: 'a' } } }]);
  });
});

test('while one recorder adds to a cassette, no other can replace it, and vice versa', async () => {
  const { url: baseUrl } = await startCountingService();
  await post(baseUrl, 'a');
  await fixture.stopRecorder();
  const options = { baseUrl: `http://${fixture.serviceHost()}/v1`, cassette: fixture.cassette() };
  for (const [mode, otherMode] of [
    ['new', 'record'],
    ['record', 'new'],
  ] as const) {
    const first = await startRecorder({ ...options, mode });
    await expect(startRecorder({ ...options, mode: otherMode })).rejects.toThrow(
      /is being recorded by process \d+/,
    );
    await first.close();
  }
  expect((await readTrace(fixture.cassette())).items).toHaveLength(1);
});

test('values that rules redact match again in mode new', async () => {
  const redaction = { rules: [{ pointer: '/user' }, { pattern: '\\d{3}-\\d{4}' }] };
  const body = JSON.stringify({ user: 'somebody', say: 'call 555-1234' });
  const { url } = await start(async (req, res) => res.end(await requestBodyOf(req)), { redaction });
  expect(await post(url, body)).toBe(body);
  const recorder = await restart('new', { redaction });
  expect(readCassetteText()).not.toMatch(/somebody|555-1234/);
  await post(recorder.url, body);
  expect(await recorder.close()).toMatchObject({ recorded: 0, replayed: 1 });
});

test('extending a cassette drops the exchanges that contain a secret which has since become known, and keeps the rest', async () => {
  const secret = 'sk-known-only-later-0a9Z';
  const { url } = await startCountingService();
  await post(url, secret);
  await post(url, 'clean');
  const recorder = await restart('new', { redaction: { secrets: [secret] } });
  await post(recorder.url, 'added');
  expect(await recorder.close()).toMatchObject({
    recorded: 1,
    exchanges: 2,
    quarantined: { exchanges: 1, aside: `${fixture.cassette()}.quarantine` },
  });
  expect(readCassetteText()).not.toContain(secret);
  const items = (await readTrace(fixture.cassette())).items;
  expect(items.flatMap((item) => (isNote(item) ? [] : [item.request.body.text]))).toEqual(['clean', 'added']);
});
