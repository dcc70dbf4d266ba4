import { expect, test } from 'vitest';
import { suggestNames } from './nearest-names.ts';

const NAMES = ['chat.stream.same-id', 'chat.stream.same-created', 'models.list.each-once', 'file:bytes#type'];

test.for([
  ['chat.strem.*', '; the nearest are chat.stream.same-id, chat.stream.same-created'],
  ['file:byte#type', '; the nearest is file:bytes#type'],
  ['models', '; the nearest is models.list.each-once'],
  ['zzz*', ''],
  ['', ''],
  ['*', ''],
  ['nothing-alike-at-all', ''],
] as const)('the unknown name %s gets the hint %j', ([misspelt, phrase]) => {
  expect(suggestNames(misspelt, NAMES)).toBe(phrase);
});
