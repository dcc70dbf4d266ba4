import { expect, test } from 'vitest';
import { bodyExcerpt } from './body-excerpt.ts';

test.each([
  ['cited if a finding is about the whole body', [[]], 'cited'],
  ['not cited if no finding is about the body', [], null],
])('a body that is a single value is %s', (_, places, mark) => {
  expect(bodyExcerpt('No.', places)).toEqual([{ depth: 0, text: '"No."', mark }]);
});

test('a list is cited as a whole if a star stands for its elements', () => {
  expect(bodyExcerpt({ id: 'a', data: [{ text: 'b' }] }, [['data', '*', 'text']])).toEqual([
    { depth: 0, text: '{', mark: null },
    { depth: 1, text: '"id": "a",', mark: null },
    { depth: 1, text: '"data": [{"text":"b"}]', mark: 'cited' },
    { depth: 0, text: '}', mark: null },
  ]);
});
