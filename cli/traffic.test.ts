// The commands that work on recorded traffic: verify, scan, har, and the reasons of replay.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assay, serving } from './testing/assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-traffic-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');

test('har makes a file of a cassette, and the same cassette of the file', async () => {
  const [file, back] = [join(folder, 'a.har'), join(folder, 'back')];
  expect((await assay(['har', CASSETTE, '--out', file])).stderr).toContain(`exchanges written to ${file}`);
  expect((await assay(['har', file, '--out', back])).code).toBe(0);
  expect(text(back)).toBe(text(CASSETTE));
  writeFileSync(join(folder, 'b.har'), '[]');
  const refused = await assay(['har', join(folder, 'b.har'), '--out', join(folder, 'b')]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no HAR file')]);
});

test('scan finds nothing in a clean cassette, and tells the place of a key in another', async () => {
  expect((await assay(['scan', CASSETTE])).code).toBe(0);
  const copy = join(folder, 'leaky');
  cpSync(CASSETTE, copy, { recursive: true });
  const key = `sk-${'aB3x'.repeat(8)}`;
  writeFileSync(join(copy, 'timing.jsonl'), `{"x":"${key}"}\n`);
  const found = await assay(['scan', copy]);
  expect([found.code, found.stdout]).toEqual([1, `${join(copy, 'timing.jsonl')}:1  an API key\n`]);
  expect(found.stderr).not.toContain(key);
  const named = await assay(['scan', CASSETTE, '--secret-env', 'MINE'], {
    env: { MINE: 'How is the weather' },
  });
  expect([named.code, named.stdout]).toEqual([1, expect.stringContaining('a known secret')]);
});

test('verify finds no drift in the service that was recorded, and one in another', async () => {
  const reference = await serving(['serve']);
  const verified = await assay(['verify', CASSETTE, '--base-url', reference.url, '--ignore', '/data/*/id']);
  await reference.stop();
  expect(verified.stderr).toMatch(/requests? sent, 0 passed over, \d+ drifted/);
  const gone = await assay(['verify', CASSETTE, '--base-url', reference.url]);
  expect([gone.code, gone.stdout]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
});

test('replay --why tells which recording answers a request', async () => {
  const file = join(folder, 'request.txt');
  writeFileSync(file, 'GET /v1/models\n\n');
  const { code, stdout } = await assay(['replay', CASSETTE, '--why', file]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('No recorded exchange answers  GET /v1/models'),
  ]);
  writeFileSync(file, 'not a request');
  expect((await assay(['replay', CASSETTE, '--why', file])).stderr).toContain('is no request line');
});
