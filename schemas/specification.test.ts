import { afterEach, expect, test } from 'vitest';
import {
  matchOperation,
  type Operation,
  operations,
  ownOperations,
  perSpecification,
  type SpecificationExtension,
  schemaNames,
  schemaValidator,
  useExtensions,
} from './index.ts';

const sing: Operation = {
  id: 'choir.sing',
  method: 'POST',
  path: '/v1/songs',
  otherPath: null,
  spec: 'choir Songs',
  cost: 'free',
  parameters: [],
  list: null,
  variants: [
    {
      name: 'only',
      family: 'choir',
      beta: null,
      counted: true,
      body: null,
      answers: [{ contentType: 'application/json', schema: 'choir.song', events: null, when: null }],
    },
  ],
};
const choir: SpecificationExtension = {
  name: 'choir',
  file: 'choir.json',
  suites: [],
  digest: '0',
  operations: [sing],
  schemas: [{ name: 'choir.song', path: 'choir/choir.song.json', schema: { type: 'string' } }],
  patterns: new Map(),
  models: {},
  notices: [],
  exports: [],
};

afterEach(() => useExtensions([]));

test('an extension adds operations and schemas while it is in effect, and nothing afterwards', () => {
  const before = [operations(), schemaNames()];
  useExtensions([choir]);
  expect(operations()).toEqual([...ownOperations(), sing]);
  expect(matchOperation('POST', '/v1/songs')?.operation).toBe(sing);
  expect(schemaValidator('choir.song')(1)).toEqual([
    { pointer: '', keyword: 'type', message: 'must be string' },
  ]);
  useExtensions([]);
  expect([operations(), schemaNames()]).toEqual(before);
  expect(matchOperation('POST', '/v1/songs')).toBeNull();
  expect(() => schemaValidator('choir.song')).toThrow('Unknown schema choir.song.');
});

test('a schema of an extension may require a field that it lists in another part', () => {
  const schema = { allOf: [{ properties: { key: { type: 'string' } } }], type: 'object', required: ['key'] };
  const file = { name: 'choir.song', path: 'choir/choir.song.json', schema };
  useExtensions([{ ...choir, schemas: [file] }]);
  expect(schemaValidator('choir.song')({ key: 'C' })).toEqual([]);
  expect(schemaValidator('choir.song')({})).toMatchObject([{ pointer: '/key', keyword: 'required' }]);
});

test('path parameters of an extension may have any name', () => {
  useExtensions([{ ...choir, operations: [{ ...sing, path: '/v1/songs/{song-id}/{__proto__}' }] }]);
  const path = matchOperation('POST', '/v1/songs/a/b')?.path ?? {};
  expect(Object.entries(path)).toEqual([
    ['song-id', 'a'],
    ['__proto__', 'b'],
  ]);
});

test('a derived value is computed again for other extensions, but not again without extensions', () => {
  let calls = 0;
  const derive = perSpecification(() => {
    calls += 1;
    return calls;
  });
  expect([derive(), derive()]).toEqual([1, 1]);
  useExtensions([choir]);
  expect([derive(), derive()]).toEqual([2, 2]);
  useExtensions([choir]);
  expect(derive()).toBe(2);
  useExtensions([]);
  expect(derive()).toBe(1);
});
