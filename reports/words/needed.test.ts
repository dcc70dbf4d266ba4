import { expect, test } from 'vitest';
import type { Needed, NeededCondition } from '../../judge/requirements/needed.ts';
import { neededWords } from './needed.ts';

const evidence = 'an answer';
const field = { kind: 'field', of: 'answer', field: 'status', is: 'present' } as const;

test.each<readonly [string, NeededCondition]>([
  ['whose answer has status', field],
  ['whose answer has status "a" or 1', { ...field, values: ['a', 1] }],
  ['whose answer has a string or null at status', { ...field, types: ['string', 'null'] }],
  [
    'whose earlier answer has deleted true',
    { ...field, of: 'earlier-answer', field: 'deleted', values: [true] },
  ],
  ['whose request has no name', { ...field, of: 'request', field: 'name', is: 'absent' }],
  ['whose request has no name, or null', { ...field, of: 'request', field: 'name', is: 'nil' }],
  ['with at least 2 elements in data', { kind: 'list', field: 'data', least: 2 }],
  ['that is answered with 2xx, rejected, or not found', { kind: 'outcome', outcome: 'settled' }],
  ['that is carried out or rejected', { kind: 'outcome', outcome: 'decided' }],
  ['whose body.file_id matches no object', { kind: 'sent', unknown: 'body.file_id' }],
  ['that was sent for its own sake, not as a probe', { kind: 'sent', unknown: null }],
  ['that ended', { kind: 'text', says: 'that ended' }],
])('a condition reads: %s', (words, condition) => {
  expect(neededWords({ evidence, conditions: [condition] })).toBe(`none shows an answer, ${words}`);
});

test.each<readonly [string, Needed]>([
  ['none shows an answer', { evidence, conditions: [] }],
  [
    'none shows an answer, whose answer has status, that ended and with at least 1 element in data',
    {
      evidence,
      conditions: [field, { kind: 'text', says: 'that ended' }, { kind: 'list', field: 'data', least: 1 }],
    },
  ],
  ['none with usage', { schema: 'usage', path: '' }],
  ['none with an integer at total of usage', { schema: 'usage', path: 'total', types: ['integer'] }],
  [
    'none with batch that has status "failed"',
    { schema: 'batch', path: '', conditions: [{ ...field, of: 'value', values: ['failed'] }] },
  ],
  ['none with 2xx and a stream', { form: 'stream' }],
  ['none shows whether a valid request is accepted', { place: null, side: 'accepted' }],
  [
    'none shows whether a request that is valid except for this violation is rejected (body.n)',
    { place: 'body.n', side: 'rejected' },
  ],
])('needed evidence reads: %s', (words, needed) => {
  expect(neededWords(needed)).toBe(words);
});
