import { expect, test } from 'vitest';
import { pairElements } from './pair-elements.ts';

const createdInTurn = (ids: string) => ids.split('').map((id, i) => ({ id, created_at: i }));
const createdTogether = (ids: string) => ids.split('').map((id) => ({ id, created_at: 1 }));
const upper = (id: string) => id.toUpperCase();

test.each([
  [
    'by id, where they may come in any order',
    createdTogether('abc'),
    createdTogether('CAB'),
    [
      [0, 1],
      [1, 2],
      [2, 0],
    ],
  ],
  [
    'by place, where their times decide the order',
    createdInTurn('ab'),
    createdInTurn('BA'),
    [
      [0, 0],
      [1, 1],
    ],
  ],
  [
    'by id, where one was added in front',
    createdInTurn('ab'),
    createdInTurn('XAB'),
    [
      [0, 1],
      [1, 2],
    ],
  ],
  [
    'by id, and the others by their order',
    createdTogether('abc'),
    createdTogether('XBY'),
    [
      [1, 1],
      [0, 0],
      [2, 2],
    ],
  ],
  [
    'in order, where several have the same id',
    createdTogether('aab'),
    createdTogether('BAA'),
    [
      [0, 1],
      [1, 2],
      [2, 0],
    ],
  ],
  [
    'by place without ids',
    [1, 2, 3],
    [4, 5],
    [
      [0, 0],
      [1, 1],
    ],
  ],
])('elements correspond %s', (_, recorded, now, pairs) => {
  expect(pairElements(recorded, now, upper)).toEqual(pairs);
});
