import { expect, test } from 'vitest';
import { anotherValue } from './changes.ts';

test.each(['', 'auto', 'a', 'a'.repeat(200), `${'a'.repeat(200)}?`, 0, 1, 0.5, true, [], ['a'], {}, null])(
  'another value differs from %j',
  (value) => {
    expect(anotherValue(value)).not.toEqual(value);
  },
);
