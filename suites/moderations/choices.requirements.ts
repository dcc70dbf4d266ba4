import { choiceOf } from '../rows/rows.ts';
import { echo, refusal, refusedOr } from '../vocabulary/choice-shapes.ts';
import { arrayAt, deepEqual, isObject, valueAtPath } from '../vocabulary/json.ts';
import {
  answered,
  asks,
  asksText,
  idReuses,
  lists,
  requests,
  responses,
  successions,
  unprobed,
  where,
} from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { LISTED } from './categories.ts';

export const moderationsInputElements = choiceOf('moderations.input.elements', {
  selector: where(requests('createModeration'), unprobed, ({ asked }) =>
    arrayAt(asked, 'input').some((one) => typeof one !== 'string'),
  ),
  taken: refusal('judged'),
});

export const moderationsInputEmpty = choiceOf('moderations.input.empty', {
  selector: where(requests('createModeration'), asks('input', [])),
  taken: refusedOr(({ call }) =>
    arrayAt(call.responseJson, 'results').length === 0 ? 'no results' : 'one result',
  ),
});

export const moderationsModelEcho = choiceOf('moderations.model.echo', {
  selector: where(responses('createModeration'), asksText('model')),
  taken: echo('model', 'as asked', 'by another name'),
});

export const moderationsFlaggedByCategory = choiceOf('moderations.flagged.by-category', {
  selector: responses('createModeration'),
  taken: ({ answer }) => {
    const results = arrayAt(answer, 'results').map((result) => {
      const categories = valueAtPath(result, 'categories');
      const some = isObject(categories) && Object.values(categories).includes(true);
      return { isFlagged: valueAtPath(result, 'flagged') === true, some };
    });
    if (results.some(({ isFlagged, some }) => some && !isFlagged)) return 'not wherever one is';
    if (results.some(({ isFlagged, some }) => isFlagged && !some)) return 'also elsewhere';
    return results.some(({ isFlagged }) => isFlagged) ? 'just there' : null;
  },
});

export const moderationsScoresRange = choiceOf('moderations.scores.range', {
  selector: where(responses('createModeration'), lists('results')),
  taken: ({ answer }) => {
    const scores = entriesOf(answer, 'category_scores').map(([, score]) => score);
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

export const moderationsCategoriesOther = choiceOf('moderations.categories.other', {
  selector: where(responses('createModeration'), lists('results')),
  taken: ({ answer }) => {
    const names = entriesOf(answer, 'categories').map(([name]) => name);
    return names.every((name) => LISTED.has(name)) ? 'none' : 'some';
  },
});

export const moderationsIdOwn = choiceOf('moderations.id.own', {
  selector: idReuses('createModeration'),
  taken: ({ earlier }) => (earlier === null ? 'its own' : 'that of another'),
});

/** The entries of an object that each result has, of all results. */
function entriesOf(answer: Json, field: string): readonly (readonly [string, Json])[] {
  return arrayAt(answer, 'results').flatMap((result) => {
    const found = valueAtPath(result, field);
    return isObject(found) ? Object.entries(found) : [];
  });
}
