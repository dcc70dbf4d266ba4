import { expect, test } from 'vitest';
import { IdMap } from './id-map.ts';

test('each identifier is replaced once, even if a current one equals another recorded one', () => {
  const ids = new IdMap();
  ids.learn({ id: 'm-1' }, { id: 'm-2' });
  ids.learn({ id: 'm-2' }, { id: 'm-3' });
  ids.learn({ id: 'm-22' }, { id: 'x.$&' });
  expect(ids.apply('m-1 m-2 m-22 m-9')).toBe('m-2 m-3 x.$& m-9');
});

test('ids that the request contains, and the first_id of a list, are not learned', () => {
  const ids = new IdMap();
  ids.learn(
    { id: 'a', first_id: 'b', thread_id: 'c' },
    { id: 'x', first_id: 'y', thread_id: 'z' },
    { isSent: (text) => text === 'a' },
  );
  expect(ids.apply('a b c')).toBe('a b z');
});

test('a short identifier is replaced only as a whole word, and an all-digit one only as a JSON string or in a target, never as a number', () => {
  const ids = new IdMap();
  ids.learn([{ id: '1' }, { id: 'ab' }], [{ id: '7' }, { id: 'cd' }]);
  expect(ids.apply('{"run_id":"1","n":1,"at": 12,"text":"1 ab abc","x":"v-ab"}')).toBe(
    '{"run_id":"7","n":1,"at": 12,"text":"1 cd abc","x":"v-ab"}',
  );
  expect(ids.apply('/v1/runs/1?after=1')).toBe('/v1/runs/7?after=7');
  expect(ids.apply('1')).toBe('7');
});

test('thousands of short identifiers are replaced in a large text without delay', () => {
  const ids = new IdMap();
  for (let n = 0; n < 2_000; n += 1)
    ids.learn({ id: `${n}`, run_id: `k${n}` }, { id: `n${n}`, run_id: `m${n}` });
  const textWith = (id: string, runId: string) => `{"id":"${id}","run_id":"${runId}","n":7}`.repeat(10_000);
  const began = performance.now();
  expect(ids.apply(textWith('7', 'k7')) === textWith('n7', 'm7')).toBe(true);
  expect(performance.now() - began).toBeLessThan(3_000);
});
