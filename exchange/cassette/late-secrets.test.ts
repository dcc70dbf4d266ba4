import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Redactor } from '../redaction/redactor.ts';
import {
  beginExchange,
  LATE_SECRET,
  recordAnswer,
  revealSecret,
  useLateSecretFolder,
} from '../testing/late-secret.ts';
import { readAllContents } from '../testing/snapshot.ts';
import { isNote } from '../trace.ts';
import { readTrace } from './cassette.ts';

const folder = useLateSecretFolder();
const toBase64 = (before: string) => Buffer.from(`${before}${LATE_SECRET}--`).toString('base64');

/** A body that is not text, so that its line has it in base64. */
const BINARY = Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(LATE_SECRET)]);

describe('a secret that becomes known is removed from the disk', () => {
  test.each<[string, string | Buffer, string]>([
    ['in a line', `{"a":"${LATE_SECRET}"}`, LATE_SECRET],
    ['percent-encoded', `a=${encodeURIComponent(LATE_SECRET)}`, encodeURIComponent(LATE_SECRET)],
    ['in base64', `{"a":"${toBase64('x')}"}`, toBase64('x').slice(4, 24)],
    ['in bytes, which a line has in base64', BINARY, BINARY.toString('base64').slice(4, 24)],
    ['in a body that is stored outside the lines', `${'x'.repeat(1_100_000)}${LATE_SECRET}`, LATE_SECRET],
  ])('%s', async (_, body, form) => {
    const cassette = folder.create();
    await recordAnswer(cassette, body);
    expect(folder.disk()).toContain(form);
    await revealSecret(cassette).end({ how: 'complete' });
    expect(folder.disk()).not.toContain(form);
    cassette.finish();
    expect(folder.disk()).not.toContain(form);
    const { items } = await readTrace(folder.path());
    const [first] = items;
    const read = first !== undefined && !isNote(first) ? first.response?.body.bytes : null;
    expect(read?.length).toBe(body.length);
    expect(Buffer.from(read ?? []).toString('latin1')).not.toContain(LATE_SECRET);
  });

  test('in a body that is still being written, even if it is split at that moment', async () => {
    for (const size of [10, 20_000]) {
      const cassette = folder.create({ mode: 'replace' });
      await recordAnswer(cassette, 'first');
      const [request, response] = [beginExchange(cassette), beginExchange(cassette)];
      response.response({ status: 200, reason: 'OK', headers: [] });
      const [half, rest] = [
        `${'x'.repeat(size)}${LATE_SECRET} ${LATE_SECRET.slice(0, 9)}`,
        `${LATE_SECRET.slice(9)} end`,
      ];
      request.requestBody(Buffer.from(half));
      response.piece(Buffer.from(half));
      const revealingRequest = revealSecret(cassette);
      expect(readAllContents(`${folder.path()}.recording`)).not.toContain(LATE_SECRET);
      request.requestBody(Buffer.from(rest));
      response.piece(Buffer.from(rest));
      for (const recording of [request, response, revealingRequest]) await recording.end({ how: 'complete' });
      cassette.finish();
      expect(folder.disk()).not.toContain(LATE_SECRET);
      const { items } = await readTrace(folder.path());
      const bodies = items.flatMap((item) => (isNote(item) ? [] : [item.request.body, item.response?.body]));
      const texts = bodies.flatMap((body) => (body?.text?.includes(' end') ? [body.text] : []));
      const alias = 'redacted_1_xxxxxxx/xx';
      expect(texts).toHaveLength(2);
      for (const text of texts)
        expect(text.replaceAll('/', 'x')).toBe(
          `${'x'.repeat(size)}${alias} ${alias} end`.replaceAll('/', 'x'),
        );
    }
  });

  test('in a body that waits for the disk', async () => {
    const cassette = folder.create();
    await recordAnswer(cassette, 'first');
    const recording = beginExchange(cassette);
    recording.response({ status: 200, reason: 'OK', headers: [] });
    recording.piece(Buffer.from('y'.repeat(20_000) + LATE_SECRET));
    const ending = recording.end({ how: 'complete' });
    const revealingRequest = revealSecret(cassette);
    expect(folder.disk()).not.toContain(LATE_SECRET);
    await Promise.all([ending, revealingRequest.end({ how: 'complete' })]);
    cassette.finish();
    expect(folder.disk()).not.toContain(LATE_SECRET);
    expect((await readTrace(folder.path())).items).toHaveLength(3);
  });

  test('although the file of an open body could not be written', async () => {
    const cassette = folder.create({ redactor: new Redactor({ secrets: ['sk-0123456789abcdef'] }) });
    await recordAnswer(cassette, LATE_SECRET);
    const beginBlob = vi.spyOn(cassette.blobs, 'begin');
    const failed = beginExchange(cassette);
    failed.response({ status: 200, reason: 'OK', headers: [] });
    // The end may begin the known secret, so it is held back.
    failed.piece(Buffer.from(`${'x'.repeat(20_000)}sk-01234`));
    // A failed write drops the file in the same way.
    beginBlob.mock.results[0]?.value.drop();
    expect(() => failed.piece(Buffer.from('y'))).toThrow('an earlier write to it failed');
    await revealSecret(cassette).end({ how: 'complete' });
    expect(folder.disk()).not.toContain(LATE_SECRET);
    cassette.finish();
    const { items } = await readTrace(folder.path());
    expect(items.map((item) => (isNote(item) ? item.note : item.end.how))).toEqual([
      'complete',
      'complete',
      'recorder-killed',
    ]);
  });

  test('and holders of the earlier exchange can still read its body', async () => {
    const cassette = folder.create({ collect: true });
    const recording = beginExchange(cassette);
    recording.response({ status: 200, reason: 'OK', headers: [] });
    recording.piece(Buffer.from('z'.repeat(20_000) + LATE_SECRET));
    const exchange = await recording.end({ how: 'complete' });
    revealSecret(cassette);
    expect(exchange?.response?.body.text).toMatch(/^z{20000}redacted_/);
    cassette.close();
  });
});

test('after the recording has ended, an exchange still in flight writes to no file', async () => {
  const cassette = folder.create();
  const [revealing, large] = [beginExchange(cassette), beginExchange(cassette)];
  large.response({ status: 200, reason: 'OK', headers: [] });
  cassette.finish();
  const before = readdirSync(folder.path(), { recursive: true });
  // These files get the descriptors that the recording has closed.
  const files = [1, 2, 3].map((n) => join(folder.path(), '..', `other-${n}`));
  const descriptors = files.map((file) => openSync(file, 'w+'));
  const headers = [['Set-Cookie', `session=${LATE_SECRET}`]] as const;
  revealing.response({ status: 200, reason: 'OK', headers });
  large.piece(Buffer.alloc(20_000, 'x'));
  for (const recording of [revealing, large]) await recording.end({ how: 'complete' });
  for (const descriptor of descriptors) closeSync(descriptor);
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['', '', '']);
  expect(readdirSync(folder.path(), { recursive: true })).toEqual(before);
});
