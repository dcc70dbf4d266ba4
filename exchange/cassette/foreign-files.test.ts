import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { traceHeader } from '../testing/trace-header.ts';
import { createCassette } from './cassette-writer.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-foreign-'));
});
afterEach(() => rmSync(root, { recursive: true }));

async function record(dir: string): Promise<void> {
  const cassette = createCassette(dir, traceHeader(), { mode: 'replace' });
  await cassette.begin({ method: 'GET', target: '/v1/models', headers: [] }).end({ how: 'complete' });
  cassette.finish();
}

test('a recording replaces neither a file nor a folder with foreign files', async () => {
  const [file, folder] = [join(root, 'notes.txt'), join(root, 'src')];
  writeFileSync(file, 'mine');
  mkdirSync(folder);
  for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts']) writeFileSync(join(folder, name), 'mine');
  await expect(record(file)).rejects.toThrow(/notes\.txt is a file; a cassette is a folder/);
  await expect(record(folder)).rejects.toThrow(
    /src holds entries that are not part of a cassette, and would be lost: a\.ts, b\.ts, c\.ts and 1 more\./,
  );
  expect([file, join(folder, 'd.ts')].map((path) => readFileSync(path, 'utf8'))).toEqual(['mine', 'mine']);
  expect([existsSync(`${file}.recording`), existsSync(`${folder}.recording`)]).toEqual([false, false]);
});

test('replacing a cassette keeps its .gitkeep and a neighbouring folder', async () => {
  const cassette = join(root, 'c');
  mkdirSync(cassette);
  writeFileSync(join(cassette, '.gitkeep'), '');
  mkdirSync(join(root, 'c.old'));
  await record(cassette);
  await record(cassette);
  expect(existsSync(join(cassette, '.gitkeep'))).toBe(true);
  expect(existsSync(join(root, 'c.old'))).toBe(true);
});

test('a cassette is not replaced if its folder contains a foreign file', async () => {
  const [cassette, note] = [join(root, 'c'), join(root, 'c', 'README.md')];
  await record(cassette);
  writeFileSync(note, 'mine');
  await expect(record(cassette)).rejects.toThrow(/would be lost: README\.md\./);
  expect([existsSync(note), existsSync(join(cassette, 'cassette.jsonl'))]).toEqual([true, true]);
});
