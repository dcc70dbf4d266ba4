import { expect, test } from 'vitest';
import { MISSING_REASON, readBaseline } from './baseline-file.ts';
import { knownEntry } from './testing/verdicts.ts';

test.for([
  ['{', 'is not valid JSON'],
  ['[]', 'is not a baseline'],
  ['{"format":1,"known":[],"choice":{}}', 'has "choice"; it takes format, known, choices'],
  ['{"format":1,"known":[],"choices":{"a":1}}', 'b.json: choices must be an object of strings'],
  ['{"format":1,"known":[1]}', 'entry 1 must be a JSON object'],
  ['{"format":1,"known":[{"id":""}]}', 'entry 1: id must be'],
  ['{"format":1,"known":[{"id":"a","signatures":[],"reason":"x"}]}', 'signatures must be'],
  [
    '{"format":1,"known":[{"id":"a","signatures":["s"],"reason":"x","expires":"soon"}]}',
    'expires must be a day',
  ],
  [
    '{"format":1,"known":[{"id":"a","signatures":["s"],"reason":"x","expires":"2027-02-30"}]}',
    'expires must be a day',
  ],
  [
    '{"format":1,"known":[{"id":"a","undecided":"capacity","reason":"x"}]}',
    'undecided must be one of no-evidence',
  ],
  [
    '{"format":1,"known":[{"id":"a","undecided":"model","signatures":["s"],"reason":"x"}]}',
    'signatures must be',
  ],
  ['{"format":1,"known":[{"id":"a","signature":["s"],"reason":"x"}]}', 'has "signature"; it takes'],
] as const)('%s is rejected with the message %s', ([text, message]) => {
  expect(() => readBaseline(text, 'b.json')).toThrow(message);
});

test('an id listed twice is rejected', () => {
  const text = JSON.stringify({ format: 1, known: [knownEntry(), knownEntry()] });
  expect(() => readBaseline(text, 'b.json')).toThrow('lists file:bytes#type twice');
});

test('entries without a reason are counted, and get the placeholder if the file is to be extended', () => {
  const entries = ['a', 'b', 'c'].map((id) => ({ id, signatures: ['s'] }));
  const reasons = [{ reason: ' ' }, { reason: MISSING_REASON }, {}];
  const known = entries.map((entry, n) => ({ ...entry, ...reasons[n] }));
  const text = JSON.stringify({ format: 1, known });
  expect(() => readBaseline(text, 'b.json')).toThrow('b.json: 3 entries have no reason (the first is a).');
  const open = readBaseline(text, 'b.json', 'open');
  expect(open.known.map(({ reason }) => reason)).toEqual([MISSING_REASON, MISSING_REASON, MISSING_REASON]);
});
