import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepEarlierLedger } from './earlier-ledger.ts';

const header = {
  ledger: 1,
  baseUrl: 'http://127.0.0.1:1/v1',
  betaHeader: 'Vendor-Beta',
  tag: 'assay-0123456789',
};
const CREATION = [
  { intent: 1, scenario: 'a', operation: 'createFile', tag: 't' },
  { made: 1, id: 'file-1' },
];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-earlier-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const lines = (...all: readonly object[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');

test.for([
  ['an empty folder', null, []],
  ['an empty ledger', '', ['ledger.jsonl']],
  ['a ledger with a truncated first line', '{"ledger":1,"base', ['ledger.jsonl']],
  [
    'a ledger whose objects are all gone',
    lines(header, ...CREATION, { gone: 1, how: 'deleted' }),
    ['ledger.jsonl'],
  ],
  [
    'a ledger of objects that nothing can delete',
    lines(header, ...CREATION, { stays: 1, how: { why: 'lost' } }),
    ['ledger.jsonl'],
  ],
] as const)('after an earlier run, %s is left as it is', ([, text, files]) => {
  if (text !== null) writeFileSync(join(folder, 'ledger.jsonl'), text);
  expect(keepEarlierLedger(folder)).toBeNull();
  expect(readdirSync(folder)).toEqual(files);
});

test.for([
  [
    'a ledger with a failed deletion',
    lines(header, ...CREATION, { left: 1, how: { why: 'failed', message: '500' } }),
  ],
  ['a ledger with a truncated last line', `${lines(header, ...CREATION)}{"gone":1`],
] as const)('after an earlier run, %s is set aside', ([, text]) => {
  writeFileSync(join(folder, 'ledger.jsonl'), text);
  expect(keepEarlierLedger(folder)).toEqual({
    file: join(folder, 'ledger.jsonl'),
    aside: join(folder, 'ledger-assay-0123456789.jsonl'),
    left: { baseUrl: header.baseUrl, objects: 1 },
  });
  expect(readdirSync(folder)).toEqual(['ledger-assay-0123456789.jsonl']);
});

test('a tag that is a path does not move the ledger elsewhere', () => {
  writeFileSync(join(folder, 'ledger.jsonl'), lines({ ...header, tag: '/../../elsewhere' }, ...CREATION));
  keepEarlierLedger(folder);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^ledger-unreadable-\d+\.jsonl$/)]);
});

test('a file that is not a ledger is set aside under another name', () => {
  writeFileSync(join(folder, 'ledger.jsonl'), 'hello\nworld\n');
  expect(keepEarlierLedger(folder)?.left).toBeNull();
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^ledger-unreadable-/)]);
});
