import {
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
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-har-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readCassetteText = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');

test('har converts a cassette to a file, and the file to the same cassette.jsonl', async () => {
  const [file, back] = [join(folder, 'a.har'), join(folder, 'back')];
  expect((await runAssay(['har', CASSETTE, '--out', file])).stderr).toContain(`exchanges written to ${file}`);
  expect((await runAssay(['har', file, '--out', back])).code).toBe(0);
  expect(readCassetteText(back)).toBe(readCassetteText(CASSETTE));
});

test('har writes its file into a folder that does not exist yet', async () => {
  const out = join(folder, 'not', 'there', 'session.har');
  const { code, stderr } = await runAssay(['har', CASSETTE, '--out', out]);
  expect([code, stderr, existsSync(out)]).toEqual([0, `15 exchanges written to ${out}\n`, true]);
});

test('har rejects a file that is not a HAR file', async () => {
  writeFileSync(join(folder, 'b.har'), '{}');
  const { code, stderr } = await runAssay(['har', join(folder, 'b.har'), '--out', join(folder, 'b')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not a HAR file')]);
});

test('har rejects a folder as its output file, and writes nothing', async () => {
  const existing = join(folder, 'existing');
  mkdirSync(existing);
  const onFolder = await runAssay(['har', CASSETTE, '--out', existing]);
  expect([onFolder.code, onFolder.stderr]).toEqual([2, expect.stringContaining(`${existing} is a folder`)]);
  expect([existsSync(`${existing}.tmp`), readdirSync(existing)]).toEqual([false, []]);
});

test('har rejects a service that is not in the file, and writes nothing', async () => {
  const [file, out] = [join(folder, 'two-hosts.har'), join(folder, 'none-of-it')];
  const entries = ['https://a.example/v1/models', 'https://b.example/x', 'data:,'].map((url) => ({
    request: { method: 'GET', url, headers: [], bodySize: 0 },
    response: { status: 200, statusText: '', headers: [], content: { size: 0 } },
  }));
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  const other = await runAssay(['har', file, '--out', out, '--base-url', 'https://c.example/v1']);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('no exchange over HTTP with https://c.example/v1');
  expect(other.stderr).toContain('https://a.example, https://b.example.');
  expect(existsSync(out)).toBe(false);
});
