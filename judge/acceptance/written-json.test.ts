import { expect, test } from 'vitest';
import { writtenNumbers } from './written-json.ts';

test('numbers are found at their pointers, as they are written', () => {
  const json = '{"a":[1.0,{"b/c":2e0}],"d":"3.0 \\"e\\":4.0","f":-5.50,"g":{},"h":true}';
  expect([...writtenNumbers(json)]).toEqual([
    ['/a/0', '1.0'],
    ['/a/1/b~1c', '2e0'],
    ['/f', '-5.50'],
  ]);
});

test('numbers of a request are found after a text of many megabytes', () => {
  for (const unit of ['a', '\n', '"']) {
    const json = JSON.stringify({ 'a:b': [unit.repeat(14_000_000), 1.5, { c: -1e21 }] });
    expect([...writtenNumbers(json)]).toEqual([
      ['/a:b/1', '1.5'],
      ['/a:b/2/c', '-1e+21'],
    ]);
  }
});
