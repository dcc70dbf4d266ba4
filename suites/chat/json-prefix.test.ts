import { expect, test } from 'vitest';
import { isJsonPrefix } from './json-prefix.ts';

test('each prefix of a JSON text is accepted', () => {
  const text = ' {"a": [1, -2.5e+3, true, false, null, "x\\"y", {}, []], "b" : {"c":"d"}} ';
  for (let end = 0; end <= text.length; end += 1)
    expect([end, isJsonPrefix(text.slice(0, end))]).toEqual([end, true]);
});

test.for([
  ' wen flower',
  'Here you are: {',
  '```json',
  '{a',
  '{"a" 1',
  '{"a":1,}',
  '[1,]',
  '[-,',
  '{"a":}',
  'nul ',
  '[1}',
  '{} x',
  'truth',
  '01',
  ',',
  '{"a":1]',
])('%s cannot become JSON', (text) => {
  expect(isJsonPrefix(text)).toBe(false);
});
