import { expect, test } from 'vitest';
import { IdMap } from './id-map.ts';

test('each identifier is replaced once, even if a current one equals another recorded one', () => {
  const ids = new IdMap();
  ids.learn({ id: 'm-1' }, { id: 'm-2' });
  ids.learn({ id: 'm-2' }, { id: 'm-3' });
  ids.learn({ id: 'm-22' }, { id: 'x.$&' });
  expect(ids.apply('m-1 m-2 m-22 m-9')).toBe('m-2 m-3 x.$& m-9');
});

test('ids of the request, and ids that a list repeats, are not mapped again', () => {
  const ids = new IdMap();
  ids.learn(
    { id: 'a', first_id: 'b', thread_id: 'c' },
    { id: 'x', first_id: 'y', thread_id: 'z' },
    { isSent: (text) => text === 'a' },
  );
  expect(ids.apply('a b c')).toBe('a b z');
});
