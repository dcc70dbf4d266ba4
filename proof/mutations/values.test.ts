import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { allEdits, removeValue, setValue } from './values.ts';

test('setValue puts a value at the pointer, and keeps the order of keys', () => {
  expect(JSON.stringify(setValue('/b/1/c', 9)({ a: 1, b: [0, { c: 2, d: 3 }], e: 4 }))).toBe(
    '{"a":1,"b":[0,{"c":9,"d":3}],"e":4}',
  );
});

test('the last step of a pointer may be new, but the others may not', () => {
  expect(setValue('/a/b', 1)({ a: {} })).toEqual({ a: { b: 1 } });
  expect(setValue('/b', 1)([])).toEqual([]);
  expect(setValue('/0', 1)([])).toEqual([1]);
  expect(setValue('/1', 1)([])).toEqual([]);
  const value = { a: 1 };
  expect(setValue('/x/y', 1)(value)).toBe(value);
});

test('a star matches every element or property', () => {
  expect(setValue('/*/n', (old) => Number(old) + 1)([{ n: 1 }, { n: 2 }])).toEqual([{ n: 2 }, { n: 3 }]);
  expect(setValue('/*', 0)({ a: 1, b: 2 })).toEqual({ a: 0, b: 0 });
  expect(setValue('/*', 0)({ '*': 1, b: 2 })).toEqual({ '*': 0, b: 0 });
});

test('an empty pointer replaces the whole value, even by null', () => {
  expect(setValue('', null)({ a: 1 })).toBeNull();
});

test('removeValue removes properties and elements, and returns the same value if there is none', () => {
  expect(removeValue('/a/b')({ a: { b: 1, c: 2 } })).toEqual({ a: { c: 2 } });
  expect(removeValue('/0')([1, 2])).toEqual([2]);
  const value = { a: [] };
  expect(removeValue('/a/0')(value)).toBe(value);
  expect(removeValue('/b')(value)).toBe(value);
});

test.each(['/-1', '/', '/1.5', '/01', '/1e0', '/-'])('%s is no place in a list', (pointer) => {
  const list = [1, 2, 3];
  expect(setValue(pointer, 9)(list)).toBe(list);
  expect(removeValue(pointer)(list)).toBe(list);
});

test('edits are applied in order', () => {
  expect(allEdits(setValue('/a', 1), removeValue('/b'))({ b: 2 })).toEqual({ a: 1 });
});

test('an edit never changes the given value', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.array(fc.constantFrom('a', '0', '*', 'b'), { maxLength: 4 }),
      (value, steps) => {
        const before = JSON.stringify(value);
        const json: Json = JSON.parse(before);
        const pointer = steps.map((step) => `/${step}`).join('');
        setValue(pointer, 'new')(json);
        removeValue(pointer)(json);
        expect(JSON.stringify(json)).toBe(before);
      },
    ),
  );
});
