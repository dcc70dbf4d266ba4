import { expect, test } from 'vitest';
import { DISTURBANCES, InvalidDisturbance, readDisturbances } from './disturbances.ts';

test('names of disturbances are read from a list', () => {
  expect(readDisturbances('reset,stall').map(({ name }) => name)).toEqual(['reset', 'stall']);
});

test('each disturbance has a unique name', () => {
  expect(new Set(DISTURBANCES.map(({ name }) => name)).size).toBe(DISTURBANCES.length);
});

test.each([
  ['rset', 'Unknown disturbance "rset"; the nearest is reset. --disturb list prints all.'],
  [
    '[{"name":"stall","milliseconds":-1}]',
    'Disturbance stall: milliseconds must be a whole number from 0 to 60000.',
  ],
  ['[{"name":"error-500","times":0}]', 'Disturbance error-500: times must be a whole number from 1 to 100.'],
  [
    '[{"name":"duplicate-event","after":0}]',
    'Disturbance duplicate-event: after must be a whole number from 1 to 1000.',
  ],
  ['[{', 'The file of disturbances is not valid JSON.'],
  ['[1]', '1 is not an object with the name of a disturbance, such as {"name":"reset"}.'],
])('the disturbances %s are rejected with the reason', (text, message) => {
  expect(() => readDisturbances(text)).toThrow(new InvalidDisturbance(message));
});
