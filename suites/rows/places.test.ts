import { array, assert, constantFrom, dictionary, letrec, oneof, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../schemas/json.ts';
import { evidenceReader, evidenceTest, jsonTest, readerOf, valueReader } from './places.ts';

const { json } = letrec<{ json: Json }>((tie) => ({
  json: oneof(
    { maxDepth: 4 },
    constantFrom<Json>(null, true, 0, 'text'),
    array(tie('json'), { maxLength: 3 }),
    dictionary(constantFrom('a', 'b', 'length'), tie('json'), { maxKeys: 3 }),
  ),
}));
const places = array(constantFrom('.a', '.b', '.length', '[]', '[0]', '[-1]'), { maxLength: 4 });

test('a test of JSON visits exactly the values that a reader finds', () => {
  assert(
    property(json, places, (value, steps) => {
      const place = steps.join('').replace(/^\./, '');
      const found = readerOf(place)(value, '').map((one) => one.value);
      expect(collectValues((visit) => jsonTest(place, visit)(value, null))).toEqual(found);
    }),
  );
});

test('a test of evidence visits exactly the values that a reader finds, and the first is its value', () => {
  assert(
    property(constantFrom('answer', 'request', 'before', 'own'), json, places, (root, value, steps) => {
      const place = `${root}${steps.join('')}`;
      const evidence = { answer: value, asked: value, before: { responseJson: value }, own: value };
      const found = evidenceReader(place)(evidence).map((one) => one.value);
      expect(collectValues((visit) => evidenceTest(place, visit)(evidence))).toEqual(found);
      expect(valueReader(place)(evidence)).toEqual(found[0]);
    }),
  );
});

test('a name finds nothing in a list', () => {
  const list = [{ a: 1 }];
  const read = (place: string) => valueReader(place)({ answer: list, own: list, exchanges: [] });
  expect([read('answer.a'), read('own.a'), read('own.length')]).toEqual([undefined, undefined, undefined]);
  expect(read('own[0].a')).toBe(1);
});

function collectValues(
  search: (visit: (value: Json | undefined) => boolean) => boolean,
): readonly (Json | undefined)[] {
  const visited: (Json | undefined)[] = [];
  expect(
    search((value) => {
      visited.push(value);
      return false;
    }),
  ).toBe(false);
  return visited;
}
