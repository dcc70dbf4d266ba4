import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepEarlierLedger } from './earlier-ledger.ts';

const header = { ledger: 1, baseUrl: 'http://127.0.0.1:1/v1', betaHeader: 'Vendor-Beta', tag: 'assay-1' };
const made = [
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
  ['nothing', null, [], ''],
  ['an empty file', '', ['ledger.jsonl'], ''],
  ['a torn first line', '{"ledger":1,"base', ['ledger.jsonl'], ''],
  ['everything gone', lines(header, ...made, { gone: 1, how: 'deleted' }), ['ledger.jsonl'], ''],
  ['only what nothing deletes', lines(header, ...made, { stays: 1, how: 'so' }), ['ledger.jsonl'], ''],
  [
    'a failed deletion',
    lines(header, ...made, { left: 1, how: '500' }),
    ['ledger-assay-1.jsonl'],
    '1 object on',
  ],
  ['a torn last line', `${lines(header, ...made)}{"gone":1`, ['ledger-assay-1.jsonl'], '--ledger'],
  ['something else', 'hello\nworld\n', [expect.stringMatching(/^ledger-unreadable-/)], 'it is kept as'],
] as const)('%s of an earlier run', ([, text, left, says]) => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  if (text !== null) writeFileSync(join(folder, 'ledger.jsonl'), text);
  keepEarlierLedger(folder);
  const said = stderr.mock.calls.join('');
  stderr.mockRestore();
  expect(readdirSync(folder)).toEqual(left);
  if (says === '') expect(said).toBe('');
  else expect(said).toContain(says);
});
