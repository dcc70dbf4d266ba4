import { choiceOf } from '../rows/rows.ts';
import { arrayAt, deepEqual, isObject, valueAtPath } from '../vocabulary/json.ts';
import { answered, responses, successions, where } from '../vocabulary/selectors.ts';
import type { Json, ResponseEvidence } from '../vocabulary/types.ts';
import { LISTED_CATEGORIES } from './categories.ts';

export const moderationsFlaggedByCategory = choiceOf('moderations.flagged.by-category', {
  selector: responses('createModeration'),
  taken: ({ answer }) => {
    const results = arrayAt(answer, 'results').map((result) => {
      const categories = valueAtPath(result, 'categories');
      const hasCategory = isObject(categories) && Object.values(categories).includes(true);
      return { isFlagged: valueAtPath(result, 'flagged') === true, hasCategory };
    });
    if (results.some(({ isFlagged, hasCategory }) => hasCategory && !isFlagged)) return 'not wherever one is';
    if (results.some(({ isFlagged, hasCategory }) => isFlagged && !hasCategory)) return 'also elsewhere';
    return results.some(({ isFlagged }) => isFlagged) ? 'just there' : null;
  },
});

export const moderationsScoresRange = choiceOf<ResponseEvidence>('moderations.scores.range', {
  taken: ({ answer }) => {
    const scores = entriesOf(answer, 'category_scores').map(([, score]) => score);
    if (scores.length === 0) return null;
    const isUsual = scores.every((score) => typeof score === 'number' && score >= 0 && score <= 1);
    return isUsual ? '0 to 1' : 'other numbers';
  },
});

export const moderationsResultsRepeated = choiceOf('moderations.results.repeated', {
  selector: where(
    successions({
      first: 'createModeration',
      later: 'createModeration',
      about: ({ requestJson: asked }) => JSON.stringify(asked ?? null),
    }),
    answered,
    ({ before }) => before.responseJson !== undefined,
  ),
  taken: ({ before, after }) =>
    deepEqual(valueAtPath(before.responseJson, 'results'), valueAtPath(after.responseJson, 'results'))
      ? 'the same'
      : 'others',
});

export const moderationsCategoriesOther = choiceOf<ResponseEvidence>('moderations.categories.other', {
  taken: ({ answer }) => {
    const names = entriesOf(answer, 'categories').map(([name]) => name);
    return names.every((name) => LISTED_CATEGORIES.has(name)) ? 'none' : 'some';
  },
});

function entriesOf(answer: Json, field: string): readonly (readonly [string, Json])[] {
  return arrayAt(answer, 'results').flatMap((result) => {
    const values = valueAtPath(result, field);
    return isObject(values) ? Object.entries(values) : [];
  });
}
