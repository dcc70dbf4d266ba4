import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { containsRequested, fieldDifferences } from './compare.ts';

const [a, b] = [{ type: 'code_interpreter' }, { type: 'file_search' }];

function withCity(city: Json): Json {
  return { parameters: { type: 'object', properties: { city } } };
}

test.each<[string, Json, Json | undefined, boolean]>([
  ['another order', [a, b], [b, a], true],
  ['one element of two', [a, b], [a], false],
  ['one too many', [a], [a, b], false],
  ['an element for an empty list', [], [a], false],
  ['a duplicate omitted', ['file-1', 'file-1'], ['file-1'], true],
  ['a duplicate added', ['file-1'], ['file-1', 'file-1'], false],
  ['more members', { type: 'x' }, { type: 'x', more: 1 }, true],
  ['a fraction rounded to 32 bits', 0.7, 0.699999988079071, true],
  ['another fraction', 0.7, 0.69, false],
  ['another whole number', 16_777_217, 16_777_216, false],
  ['null for what is empty', {}, null, true],
  ['nothing for what is empty inside', { code_interpreter: { file_ids: [] } }, {}, true],
  ['nothing for something', { code_interpreter: { file_ids: ['file-1'] } }, {}, false],
  ['an element where the list was emptied', { file_ids: [] }, { file_ids: ['file-1'] }, false],
  ['a similar element in the place of another', [a, { ...a, n: 1 }], [{ ...a, n: 1 }, a], true],
  [
    'more members in each of two similar elements',
    [a, { ...a, n: 1 }],
    [
      { ...a, n: 1, m: 2 },
      { ...a, m: 2 },
    ],
    true,
  ],
  [
    'one element that contains two',
    [a, { ...a, n: 1 }],
    [
      { ...a, n: 1, m: 2 },
      { ...b, m: 2 },
    ],
    false,
  ],
  ['no parameters where none are requested', { parameters: {} }, {}, true],
  ['a lost parameter', withCity({}), { parameters: { type: 'object', properties: {} } }, false],
  ['a more detailed parameter', withCity({}), withCity({ type: 'string' }), true],
  ['names in another order', withCity({ required: ['a', 'b'] }), withCity({ required: ['b', 'a'] }), true],
  [
    'positional schemas in another order',
    withCity({ prefixItems: [a, b] }),
    withCity({ prefixItems: [b, a] }),
    false,
  ],
])('an answer with %s (%j as %j) matches: %s', (_, asked, actual, expected) => {
  expect(containsRequested(asked, actual)).toBe(expected);
});

function differs(field: string, one: Json, other: Json): boolean {
  return fieldDifferences([field], { value: { [field]: one }, by: 'e1' }, { [field]: other }, '').length > 0;
}

test('the order of message parts is compared in two responses, but not that of tools and files', () => {
  expect(differs('tools', [a, b], [b, a])).toBe(false);
  expect(differs('file_ids', ['file-1', 'file-2'], ['file-2', 'file-1'])).toBe(false);
  expect(differs('content', [a, b], [b, a])).toBe(true);
});

test('a missing or additional tool is a difference', () => {
  expect(differs('tools', [a, b], [a])).toBe(true);
  expect(differs('tools', [a], [a, b])).toBe(true);
});

test('null for empty resources is no difference', () => {
  expect(differs('tool_resources', {}, null)).toBe(false);
});

test('another number is a difference unless it is only rounded to 32 bits', () => {
  expect(differs('temperature', 0.7, 0.699999988079071)).toBe(false);
  expect(differs('temperature', 1, 0.5)).toBe(true);
});
