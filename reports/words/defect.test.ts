import { expect, test } from 'vitest';
import { crashLines } from './defect.ts';

test('a crashed scenario takes one line, whatever it quotes from the target', () => {
  const crashed = [{ scenario: 'files.crash', message: 'Unexpected token \u001b[2J\nof the target' }];
  expect(crashLines(crashed)).toEqual([
    'defect of assay: scenario files.crash crashed: Unexpected token \\u001b[2J\\nof the target',
  ]);
  expect(crashLines([])).toEqual([]);
});
