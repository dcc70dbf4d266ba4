import { expect, test } from 'vitest';
import { catalogue } from '../index.ts';
import { responses } from '../vocabulary/selectors.ts';
import { choiceOf, choiceWords } from './choices.ts';

test('every open point in the data is a choice of the catalogue', async () => {
  const read = new Set((await catalogue()).choices.map(({ id }) => id));
  expect([...choiceWords().keys()].filter((id) => !read.has(id))).toEqual([]);
});

test('a choice without words is refused', () => {
  const reading = { selector: responses('listModels'), taken: () => null };
  expect(() => choiceOf('models.list.colour', reading)).toThrow(
    'No file of suites/data/choices/ has models.list.colour.',
  );
});
