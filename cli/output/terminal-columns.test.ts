import { afterEach, expect, test, vi } from 'vitest';
import { columnsOf } from './terminal.ts';

afterEach(() => vi.unstubAllEnvs());
const pipe = {} as { columns: number }; // as: a pipe has none

test.for([
  ['80', 80],
  ['', null],
  ['wide', null],
  ['0', null],
] as const)('with COLUMNS=%j a pipe has the width %s', ([value, columns]) => {
  vi.stubEnv('COLUMNS', value);
  expect(columnsOf(pipe)).toBe(columns);
});

test('a terminal of unknown size has the width of COLUMNS', () => {
  vi.stubEnv('COLUMNS', '80');
  expect(columnsOf({ columns: 0 })).toBe(80);
});

test('a terminal keeps its own width', () => {
  vi.stubEnv('COLUMNS', '80');
  expect(columnsOf({ columns: 132 })).toBe(132);
});
