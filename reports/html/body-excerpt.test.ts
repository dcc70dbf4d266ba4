import { expect, test } from 'vitest';
import { bodyExcerpt } from './body-excerpt.ts';

test.each([
  ['cited if a finding is about the whole body', [[]], 'cited'],
  ['not cited if no finding is about the body', [], null],
])('a body that is a single value is %s', (_, places, mark) => {
  expect(bodyExcerpt('No.', places)).toEqual([{ depth: 0, text: '"No."', mark }]);
});
