import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import {
  countReplacedExchanges,
  denialWarning,
  lossWords,
  recorderRemarks,
  recordSummary,
} from './record-words.ts';

test('the first ten distinct remarks are listed, and the others are only counted', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-remarks-'));
  const cassette = createCassette(join(root, 'c'), traceHeader());
  for (let n = 0; n < 2; n += 1) {
    const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
    recording.response({ status: 200, reason: 'OK', headers: [['Content-Encoding', 'zstd']] });
    recording.piece(Buffer.from('(\u00b5/\u00fd'));
    await recording.end({ how: 'complete' });
  }
  for (let n = 0; n < 12; n += 1) cassette.note({ note: 'remark', message: `remark ${n % 11}` });
  cassette.finish();
  const remarks = await recorderRemarks(join(root, 'c'));
  rmSync(root, { recursive: true, force: true });
  expect(remarks).toHaveLength(11);
  expect(remarks[0]).toBe(
    'The compressed response body of e1 could not be read: secrets in it are not replaced.',
  );
  expect(remarks.at(-1)).toBe(`3 more remarks in ${join(root, 'c')}`);
});

test('a dangling symbolic link counts as no readable cassette', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'assay-link-'));
  symlinkSync(join(dir, 'nothing'), join(dir, 'cassette.jsonl'));
  const count = await countReplacedExchanges(dir);
  rmSync(dir, { recursive: true });
  expect(count).toBeNull();
});

test.each([
  [false, "the client's key is forwarded; --api-key-env NAME sends the key in that variable instead"],
  [true, "check the key that was sent instead of the client's"],
])(
  'the advice on 401 to every request depends on whether a key was added (%s)',
  async (keyInjected, advice) => {
    const dir = mkdtempSync(join(tmpdir(), 'assay-denied-'));
    const cassette = createCassette(join(dir, 'c'), traceHeader({ keyInjected }));
    const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
    recording.response({ status: 401, reason: 'Unauthorized', headers: [] });
    await recording.end({ how: 'complete' });
    cassette.finish();
    const warning = await denialWarning(join(dir, 'c'));
    rmSync(dir, { recursive: true });
    expect(warning).toBe(`Every answer is 401: ${advice}`);
  },
);

test('a recording without exchanges, which replaces no cassette, loses none', () => {
  const report = { recorded: 0, aside: null } as never; // as: what the words read
  expect(lossWords(report, 4)).toBeNull();
});

describe('after the quarantine of an exchange', () => {
  const report = {
    recorded: 3,
    exchanges: 2,
    replayed: 0,
    unreachable: null,
    aside: null,
    quarantined: {},
  } as never; // as: what the words read

  test('the summary says how many exchanges remain', () => {
    expect(recordSummary(report, 'c')).toBe('3 exchanges recorded in c, which now holds 2');
  });

  test('the quarantined exchange is not reported as lost', () => {
    expect(lossWords(report, 3)).toBeNull();
    expect(lossWords(report, 4)).toContain('held 4 exchanges, 1 more than were recorded: ');
  });
});
