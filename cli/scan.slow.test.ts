import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-scan-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('scan finds nothing in a clean cassette', async () => {
  const { code, stdout } = await runAssay(['scan', CASSETTE]);
  expect([code, stdout]).toEqual([0, '']);
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
  const { code, stdout } = await runAssay(['scan', CASSETTE, '--secret-env', 'MINE'], {
    env: { MINE: 'How is the weather' },
  });
  expect([code, stdout]).toEqual([1, expect.stringContaining('a known secret')]);
});

test('scan searches a HAR file as text and in decoded content', async () => {
  const key = `sk-proj-${'aB3x'.repeat(8)}`;
  const har = join(folder, 'keys.har');
  const encoded = join(folder, 'encoded.har');
  const content = { text: Buffer.from(`{"key":"${key}"}`).toString('base64'), encoding: 'base64' };
  writeFileSync(har, `{"log":\n{"entries":[{"headers":[{"name":"x","value":"${key}"}]}]}}`);
  writeFileSync(encoded, JSON.stringify({ log: { entries: [{ response: { content } }] } }));
  const found = await runAssay(['scan', har, encoded, CASSETTE]);
  expect(found.stdout).toBe(`${har}:2  an API key\n${encoded}:1  an API key in decoded content\n`);
  expect([found.code, found.stderr]).toEqual([1, '2 places that may contain a secret\n']);
});

test('scan finds nothing in a text file without a key', async () => {
  const { code, stdout } = await runAssay(['scan', 'LICENSE']);
  expect([code, stdout]).toEqual([0, '']);
});

test('scan rejects a compressed file', async () => {
  const compressed = join(folder, 'keys.gz');
  writeFileSync(compressed, gzipSync('any'));
  const { code, stderr } = await runAssay(['scan', compressed]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be searched')]);
});

test('scan rejects a folder without a cassette', async () => {
  const { code, stderr } = await runAssay(['scan', folder]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${folder} does not contain a cassette`)]);
});
