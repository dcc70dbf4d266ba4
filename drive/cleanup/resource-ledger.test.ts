import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LedgerHeader, ResourceLedger, readLedger } from './resource-ledger.ts';

const header: LedgerHeader = {
  ledger: 1,
  baseUrl: 'http://127.0.0.1:1/v1',
  betaHeader: 'Vendor-Beta',
  tag: 'assay-1',
};
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-ledger-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a recorded intent is on disk at once', () => {
  const file = join(folder, 'ledger.jsonl');
  const ledger = ResourceLedger.create(file, header);
  ledger.recordIntent('files.life', 'createFile', 'assay-1-1');
  expect(readLedger(file).entries).toMatchObject([
    { n: 1, state: 'intended', id: null, operation: 'createFile' },
  ]);
  ledger.close();
});

function createMixedLedger(file: string): ResourceLedger {
  const ledger = ResourceLedger.create(file, header);
  for (const id of ['a', 'b', 'c', 'd'])
    ledger.record(ledger.recordIntent(id === 'd' ? 'other' : 'one', 'createFile', 't'), 'made', { id });
  ledger.record(ledger.recordIntent('one', 'createFile', 't'), 'nothing');
  ledger.record(2, 'gone', { how: 'deleted' });
  ledger.record(1, 'left', { how: { why: 'failed', message: 'no answer' } });
  return ledger;
}

test('entries that need cleanup are returned newest first, also those of one scenario', () => {
  const ledger = createMixedLedger(join(folder, 'ledger.jsonl'));
  expect(ledger.entriesToClean().map(({ id }) => id)).toEqual(['d', 'c', 'a']);
  expect(ledger.entriesToClean('one').map(({ id }) => id)).toEqual(['c', 'a']);
  ledger.close();
});

test('an object is found by its id as long as it needs cleanup', () => {
  const ledger = createMixedLedger(join(folder, 'ledger.jsonl'));
  expect([ledger.entryOf('c')?.n, ledger.entryOf('b')]).toEqual([3, undefined]);
  ledger.close();
});

test('the file holds the entries of the ledger', () => {
  const file = join(folder, 'ledger.jsonl');
  const ledger = createMixedLedger(file);
  expect(readLedger(file).entries).toEqual(ledger.entries());
  ledger.close();
});

test('a truncated last line loses only itself, even if the ledger is extended', () => {
  const file = join(folder, 'ledger.jsonl');
  const first = ResourceLedger.create(file, header);
  first.record(first.recordIntent('one', 'createFile', 't'), 'made', { id: 'file-1' });
  first.close();
  appendFileSync(file, '{"intent":2,"scen');
  const ledger = ResourceLedger.reopen(file);
  ledger.record(1, 'gone', { how: 'deleted' });
  ledger.close();
  expect(readLedger(file)).toMatchObject({ header, entries: [{ n: 1, state: 'gone' }] });
  expect(readFileSync(file, 'utf8')).toContain('{"intent":2,"scen\n');
});

test('an entry that created nothing has no reason for a remainder, even after a failed cleanup', () => {
  const file = join(folder, 'ledger.jsonl');
  const ledger = ResourceLedger.create(file, header);
  const n = ledger.recordIntent('one', 'createFile', 't');
  ledger.record(n, 'left', { how: { why: 'not-listed', method: 'GET', path: '/v1/files' } });
  ledger.record(n, 'nothing');
  ledger.close();
  expect(readLedger(file).entries).toMatchObject([{ state: 'nothing', how: null }]);
});

test('a resource that nothing can remove stays in the ledger but no longer needs cleanup', () => {
  const file = join(folder, 'ledger.jsonl');
  const ledger = ResourceLedger.create(file, header);
  ledger.record(ledger.recordIntent('one', 'createBatch', 't'), 'made', { id: 'batch_1' });
  const how = { why: 'not-deletable', state: 'cancelled', children: [] } as const;
  ledger.record(1, 'stays', { how });
  ledger.close();
  expect(ledger.entriesToClean()).toEqual([]);
  expect(readLedger(file).entries).toMatchObject([{ state: 'stays', how }]);
});

test('no number is used twice after a line in the middle was damaged', () => {
  const file = join(folder, 'ledger.jsonl');
  const first = ResourceLedger.create(file, header);
  for (const id of ['a', 'b', 'c'])
    first.record(first.recordIntent('one', 'createFile', 't'), 'made', { id });
  first.close();
  const [head, , ...following] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [head, '{"intent":1,', '{"made":2}', ...following].join('\n'));
  const ledger = ResourceLedger.reopen(file);
  expect(ledger.entries().map(({ n, id }) => [n, id])).toEqual([
    [2, 'b'],
    [3, 'c'],
  ]);
  expect(ledger.recordIntent('one', 'createFile', 't')).toBe(4);
  ledger.close();
});

test('a missing file and a file that is not a ledger are rejected', () => {
  const file = join(folder, 'other.json');
  writeFileSync(file, '{"some":"json"}');
  expect(() => readLedger(file)).toThrow('is not the ledger of a run');
  expect(() => readLedger(join(folder, 'none'))).toThrow(
    'the file does not exist. Name the file ledger.jsonl',
  );
});
