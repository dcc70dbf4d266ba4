import { expect, test } from 'vitest';
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
