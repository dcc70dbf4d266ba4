import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote, type TraceItem } from '../trace.ts';
import { openCassette, readTrace } from './cassette.ts';
import { type CassetteWriter, createCassette } from './cassette-writer.ts';
import { finishCassette, recoverCassette } from './finish.ts';

let root: string;
let dir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-read-only-'));
  dir = join(root, 'c');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function record(cassette: CassetteWriter, body: string): Promise<void> {
  const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers: [], began: 5 });
  recording.requestBody(Buffer.from(body));
  recording.response({ status: 200, reason: 'OK', headers: [['x-request-id', body.slice(0, 5)]] });
  recording.piece(Buffer.from(body), 1);
  await recording.end({ how: 'complete', at: 2 });
}

function listFiles(): [string, string][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => [
      join(entry.parentPath, entry.name),
      readFileSync(join(entry.parentPath, entry.name), 'latin1'),
    ])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function simplify(items: readonly TraceItem[]) {
  return items.map((item) =>
    isNote(item)
      ? item
      : {
          ...item,
          request: item.request.body.text,
          response: [item.response?.headers, item.response?.body.text, item.response?.pieces],
        },
  );
}

test.each(['create', 'append', 'replace'] as const)(
  'an unfinished recording (mode %s) is read without being changed, and reads the same after recovery',
  async (mode) => {
    if (mode === 'append') {
      const before = createCassette(dir, traceHeader());
      await record(before, 'before');
      before.finish();
    }
    const cassette = createCassette(dir, traceHeader(), { mode, collect: false });
    await record(cassette, 'small');
    await record(cassette, 'x'.repeat(20_000));
    cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
    cassette.close();
    const filesBefore = listFiles();
    const read = simplify((await readTrace(dir)).items);
    const replaying = await openCassette(dir, { replay: true });
    expect(replaying.answer(0).response?.body.text).toBe(mode === 'append' ? 'before' : 'small');
    replaying.close();
    expect(listFiles()).toEqual(filesBefore);
    recoverCassette(dir);
    expect(listFiles()).not.toEqual(filesBefore);
    expect(simplify((await readTrace(dir)).items)).toEqual(read);
    expect(read).toHaveLength(mode === 'append' ? 4 : 3);
  },
);

test('lines that a killed writer had already copied are read once', async () => {
  for (const mode of ['create', 'append'] as const) {
    const cassette = createCassette(dir, traceHeader(), { mode });
    await record(cassette, mode);
    cassette.close();
    const journal = readFileSync(join(dir, 'journal.jsonl'));
    finishCassette(dir);
    const finished = simplify((await readTrace(dir)).items);
    writeFileSync(join(dir, 'journal.jsonl'), journal);
    const filesBefore = listFiles();
    expect(simplify((await readTrace(dir)).items)).toEqual(finished);
    expect(listFiles()).toEqual(filesBefore);
    rmSync(join(dir, 'journal.jsonl'));
  }
});

test('an unfinished replacement is neither read nor removed, and is recovered under its own name', async () => {
  const finished = createCassette(dir, traceHeader());
  await record(finished, 'finished');
  finished.finish();
  const unfinished = createCassette(dir, traceHeader(), { mode: 'replace' });
  await record(unfinished, 'unfinished');
  unfinished.close();
  const filesBefore = listFiles();
  expect((await readTrace(dir)).items).toMatchObject([{ request: { body: { text: 'finished' } } }]);
  recoverCassette(dir);
  expect(listFiles()).toEqual(filesBefore);
  recoverCassette(`${dir}.recording`);
  expect((await readTrace(`${dir}.recording`)).items).toMatchObject([
    { request: { body: { text: 'unfinished' } } },
  ]);
});

test('a read-only folder is read, whether its recording is finished or not', async () => {
  const cassette = createCassette(dir, traceHeader());
  await record(cassette, 'x'.repeat(20_000));
  cassette.close();
  cpSync(dir, join(root, 'finished'), { recursive: true });
  recoverCassette(join(root, 'finished'));
  for (const folder of [dir, join(root, 'finished')]) {
    chmodSync(folder, 0o500);
    expect((await readTrace(folder)).items).toHaveLength(1);
    chmodSync(folder, 0o700);
  }
});

test('a journal that is too large for memory is rejected with the command that finishes it', async () => {
  const cassette = createCassette(dir, traceHeader());
  await record(cassette, 'one');
  cassette.close();
  truncateSync(join(dir, 'journal.jsonl'), 256 * 1024 ** 2 + 1);
  await expect(readTrace(dir)).rejects.toThrow(`Finish it: npx assay recover ${dir}`);
});
