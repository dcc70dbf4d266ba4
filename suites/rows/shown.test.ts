import { expect, test } from 'vitest';
import type { Json } from '../../schemas/json.ts';
import { alternativeReader } from './shown.ts';

function alternativeOf(answer: Json, otherwise?: string): string | null {
  const read = alternativeReader({
    value: 'answer.kind',
    names: { a: 'the first' },
    ...(otherwise !== undefined && { otherwise }),
  });
  const evidence = { exchanges: [], answer };
  return read(evidence);
}

test('a value is shown by its name, and one without a name as itself or as `otherwise`', () => {
  expect([alternativeOf({ kind: 'a' }), alternativeOf({ kind: 'a' }, 'another')]).toEqual([
    'the first',
    'the first',
  ]);
  for (const kind of ['b', 'constructor'])
    expect([alternativeOf({ kind }), alternativeOf({ kind }, 'another')]).toEqual([kind, 'another']);
});
