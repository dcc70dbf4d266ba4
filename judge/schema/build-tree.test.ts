import { expect, test } from 'vitest';
import type { JsonSchema } from '../../schemas/index.ts';
import { buildTree } from './build-tree.ts';

function libraryOf(schema: object): Parameters<typeof buildTree>[0] {
  const root = { ...schema };
  return {
    schema: () => root,
    resolveRef: () => ({ name: 'a', pointer: '', schema: root }),
  };
}

const ITSELF = { $ref: './a.json' };

test('a schema may occur in a union below itself', () => {
  const union = { oneOf: [{ type: 'string' }, ITSELF] };
  const library = libraryOf({ type: 'object', properties: { next: union } });
  expect(() => buildTree(library, 'a', 'apart')).not.toThrow();
});

test('a schema that contains itself cannot be built inline', () => {
  const library = libraryOf({ type: 'object', properties: { next: ITSELF } });
  expect(() => buildTree(library, 'a', 'inline')).toThrow('./a.json contains itself');
});

test('a schema that occurs twice does not contain itself', () => {
  const schemas: Readonly<Record<string, JsonSchema>> = {
    root: {
      allOf: [{ $ref: 'left' }, { $ref: 'right' }],
      properties: { owner: { $ref: 'object' } },
    },
    left: { allOf: [{ $ref: 'object' }] },
    right: { allOf: [{ $ref: 'object' }] },
    object: { type: 'object', properties: { id: { type: 'string' } } },
  };
  const library: Parameters<typeof buildTree>[0] = {
    schema: (name) => schemas[name] ?? {},
    resolveRef: (_, ref) => ({ name: ref, pointer: '', schema: schemas[ref] ?? {} }),
  };
  const { members } = buildTree(library, 'root', 'inline');
  expect(members.map(({ name, node }) => [name, node.types])).toEqual([
    ['owner', ['object']],
    ['id', ['string']],
  ]);
});

test('`uniqueItems: false` restricts nothing', () => {
  const assertionsFor = (uniqueItems: boolean) =>
    buildTree(libraryOf({ type: 'array', uniqueItems }), 'a', 'inline').assertions;
  expect(assertionsFor(false)).toEqual([]);
  expect(assertionsFor(true)).toEqual([{ keyword: 'uniqueItems', value: true }]);
});
