import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { startRecorder } from '../record/record.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';
import { verifyCassette } from '../verify/verify.ts';
import {
  describeAddedRules,
  describeMissingRules,
  recordedRules,
  redactRequest,
  withRules,
} from './redaction.ts';
import { type ReplayOptions, startReplayer } from './replay.ts';

const fixture = createRecordFixture();
const PATTERN = { pattern: '\\d{3}-\\d{4}' };

async function post(url: string, body: object) {
  const answer = await fetch(`${url}/x`, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

async function recordEcho(body: object, rules: readonly ({ pointer: string } | { pattern: string })[]) {
  const { url } = await fixture.start(async (req, res) => res.end(await requestBodyOf(req)), {
    redaction: { rules },
  });
  await post(url, body);
  await fixture.stopRecorder();
  return readFileSync(join(fixture.cassette(), 'cassette.jsonl'), 'utf8');
}

async function replayRequest(body: object, options: Partial<ReplayOptions> = {}) {
  const words: string[] = [];
  const replayer = await startReplayer({
    cassettes: [fixture.cassette()],
    onMiss: (_, text) => words.push(text),
    ...options,
  });
  const { status, text } = await post(replayer.url, body);
  await replayer.close();
  return { status, text, words };
}

test('a replay, a verification and an extension apply the recorded pointers without being given them', async () => {
  const text = await recordEcho({ user: 'somebody', say: 'x' }, [{ pointer: '/user' }]);
  expect(text).toContain('"redact":{"pointers":["/user"],"patterns":0}');
  expect(text).not.toContain('somebody');
  expect((await replayRequest({ user: 'somebody', say: 'x' })).status).toBe(200);
  expect((await replayRequest({ user: 'somebody', say: 'y' })).status).toBe(501);
  const baseUrl = `http://${fixture.serviceHost()}`;
  expect(await verifyCassette({ cassette: fixture.cassette(), baseUrl })).toMatchObject({
    drifted: [],
    missingRules: null,
  });
  const recorder = await startRecorder({ baseUrl, cassette: fixture.cassette(), mode: 'new' });
  await post(recorder.url, { user: 'somebody', say: 'x' });
  await post(recorder.url, { user: 'somebody', say: 'z' });
  expect(await recorder.close()).toMatchObject({ recorded: 1, replayed: 1 });
  expect(readFileSync(join(fixture.cassette(), 'cassette.jsonl'), 'utf8')).not.toContain('somebody');
});

test('a pattern is not stored in the cassette, and a miss without it says to give it again', async () => {
  const body = { say: 'call 555-1234' };
  expect(await recordEcho(body, [PATTERN])).not.toContain('d{3}');
  const { status, text, words } = await replayRequest(body);
  const rules =
    'recorded with --redact (a pattern whose text was not kept, as it may be a secret): use the same rules';
  expect(status).toBe(501);
  expect(JSON.parse(text)).toMatchObject({ error: { rules } });
  expect(words.join()).toContain(`      rules     ${rules}\n`);
  expect((await replayRequest(body, { redaction: { rules: [PATTERN] } })).status).toBe(200);
});

test('without its pattern nothing is added to a cassette, because new exchanges would not be redacted', async () => {
  await recordEcho({ say: 'call 555-1234' }, [PATTERN]);
  const extension = {
    baseUrl: `http://${fixture.serviceHost()}`,
    cassette: fixture.cassette(),
    mode: 'new',
  } as const;
  await expect(startRecorder(extension)).rejects.toThrow(
    /was recorded with --redact \(a pattern .*use the same rules/,
  );
  const recorder = await startRecorder({ ...extension, redaction: { rules: [PATTERN] } });
  await recorder.close();
});

test('with further rules nothing is added to a cassette, and these rules are named', async () => {
  await recordEcho({ user: 'somebody', say: 'x' }, [{ pointer: '/user' }]);
  const extension = {
    baseUrl: `http://${fixture.serviceHost()}`,
    cassette: fixture.cassette(),
    mode: 'new',
  } as const;
  const further = [{ pointer: '/say' }, PATTERN];
  await expect(startRecorder({ ...extension, redaction: { rules: further } })).rejects.toThrow(
    /was recorded without --redact \(pointer:\/say, a pattern\): leave that out/,
  );
  const recorder = await startRecorder({ ...extension, redaction: { rules: [{ pointer: '/user' }] } });
  await recorder.close();
});

test('only the pointers that all cassettes share are applied; the others are named', () => {
  const [a, b] = [
    recordedRules({ rules: [{ pointer: '/a' }, { pointer: '/b' }] }),
    recordedRules({ rules: [{ pointer: '/b' }, PATTERN] }),
  ];
  const known = withRules([a, b]);
  expect(known).toEqual({ rules: [{ pointer: '/b' }] });
  expect(describeMissingRules([a, b], known)).toContain('(pointer:/a, a pattern whose text was not kept');
  expect(withRules([a], { rules: [{ pointer: '/a' }] }).rules).toHaveLength(2);
  expect(withRules([recordedRules({ rules: [] }), a])).toEqual({});
  expect(describeMissingRules([recordedRules({ rules: [] })], {})).toBeNull();
});

test('a recording that keeps the fields named as secrets says so, and is replayed in the same way', () => {
  const kept = recordedRules({ keepFields: true });
  expect(kept).toEqual({ redact: { pointers: [], patterns: 0, fields: 'kept' } });
  expect(withRules([kept])).toEqual({ keepFields: true });
  expect(withRules([kept, {}])).toEqual({});
  expect(describeAddedRules({}, { keepFields: true })).toBe('recorded without --keep-fields');
  expect(describeAddedRules(kept, { keepFields: true })).toBeNull();
});

test('a request body above 16 MiB is reduced to its size and digest, as in a cassette', () => {
  const redact = (size: number) =>
    redactRequest(
      { method: 'POST', target: '/v1/x', headers: [], body: Body.from(new Uint8Array(size)) },
      new Redactor(),
    ).body;
  const limit = 16 * 1024 * 1024;
  expect(redact(limit).isKept).toBe(true);
  const { isKept, size, sha256 } = redact(limit + 1);
  expect({ isKept, size, sha256 }).toEqual({
    isKept: false,
    size: limit + 1,
    sha256: Body.from(new Uint8Array(limit + 1)).sha256,
  });
});
