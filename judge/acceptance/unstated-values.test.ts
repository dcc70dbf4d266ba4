import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { operation } from '../../schemas/index.ts';
import { bodyTree } from '../probe/request-constraints.ts';
import { unstatedValues } from './unstated-values.ts';

function findUnstated(body: Json) {
  const [variant] = operation('createModeration').variants;
  const tree = variant === undefined ? null : bodyTree(variant);
  if (tree === null) throw new Error('createModeration has no body');
  return unstatedValues(tree, body);
}

test('only elements whose form is not specified are unstated', () => {
  expect(findUnstated({ input: [[1, 2]] })).toEqual([{ at: '/input', value: [[1, 2]] }]);
  expect(findUnstated({ input: ['x'] })).toEqual([]);
  expect(findUnstated({ input: 'x' })).toEqual([]);
});
