import type { NotDeleted, Remainder } from '../../exchange/note.ts';
import { type WordsByKind, wordsByKind } from './by-kind.ts';
import { obstacleWords } from './cause.ts';

export function remainderWords(remainder: Remainder): string {
  return wordsByKind(remainder, 'why', REMAINDERS);
}

const NOT_DELETED: WordsByKind<'why', NotDeleted> = {
  'not-deleted': ({ obstacle }) => obstacleWords(obstacle),
  'still-there': ({ obstacle, shownBy: { method, path } }) =>
    `${obstacleWords(obstacle)}, but ${method} ${path} still returns it`,
  unconfirmed: ({ obstacle }) =>
    `${obstacleWords(obstacle)}, and no other request shows that the object is gone`,
};

const REMAINDERS: WordsByKind<'why', Remainder> = {
  ...NOT_DELETED,
  lost: () => 'the response carried no id, and no list shows the object',
  // Without an id, only the tag of the object in a list can identify it.
  'not-listed': ({ method, path }) =>
    `the response carried no id, and ${method} ${path} does not show whether the object is there`,
  'not-deletable': ({ state, children }) =>
    [
      `${state ?? 'state unknown'}, nothing deletes it`,
      ...children.map(({ id, remainder }) => `${id}: ${wordsByKind(remainder, 'why', NOT_DELETED)}`),
    ].join('; '),
  failed: ({ message }) => message,
};
