import { allEdits, inResponse, setIn, setValue, succeedInstead } from '../vocabulary/changes.ts';
import { echo, refusal } from '../vocabulary/choice-shapes.ts';
import { arrayAt, deepEqual, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { idReuses, requests, responses, successions, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import { LISTED } from './categories.ts';

const { choice } = section('2 Moderation');

export const moderationsInputElements = choice('moderations.input.elements', {
  says: 'The response to an array whose elements are not strings.',
  alternatives: ['refused', 'judged'],
  selector: where(requests('createModeration'), ({ asked, call }) => {
    const input = arrayAt(asked, 'input');
    return call.exchange.probe === null && input.some((one) => typeof one !== 'string');
  }),
  taken: refusal('judged'),
  examples: { judged: succeedInstead('createModeration', () => ({ results: [] })) },
});

export const moderationsInputEmpty = choice('moderations.input.empty', {
  says: 'The response to an array without elements.',
  alternatives: ['refused', 'no results', 'one result'],
  selector: where(requests('createModeration'), ({ asked }) => {
    const input = valueAtPath(asked, 'input');
    return Array.isArray(input) && input.length === 0;
  }),
  taken: ({ call }) => {
    if (call.responseClass === 'rejected') return 'refused';
    if (call.responseJson === undefined) return null;
    return arrayAt(call.responseJson, 'results').length === 0 ? 'no results' : 'one result';
  },
  examples: { 'one result': setIn('createModeration', '/results', [{ flagged: false }]) },
});

export const moderationsModelEcho = choice('moderations.model.echo', {
  says: 'The name of the model in the response.',
  alternatives: ['as asked', 'by another name'],
  selector: where(responses('createModeration'), ({ asked }) => textAt(asked, 'model') !== undefined),
  taken: echo('model', 'as asked', 'by another name'),
  examples: { 'by another name': setIn('createModeration', '/model', 'model-of-today') },
});

export const moderationsFlaggedByCategory = choice('moderations.flagged.by-category', {
  says: 'Whether a text is flagged exactly where a category is.',
  alternatives: ['just there', 'also elsewhere', 'not wherever one is'],
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
  examples: {
    'also elsewhere': setIn('createModeration', '/results/*/flagged', true),
    'not wherever one is': setIn('createModeration', '/results/*/flagged', false),
  },
});

export const moderationsScoresRange = choice('moderations.scores.range', {
  says: 'The range of the scores of categories.',
  alternatives: ['0 to 1', 'other numbers'],
  selector: where(responses('createModeration'), ({ answer }) => arrayAt(answer, 'results').length > 0),
  taken: ({ answer }) => {
    const all = arrayAt(answer, 'results').flatMap((result) =>
      Object.values(asObject(result, 'category_scores')),
    );
    const isUsual = all.every((score) => typeof score === 'number' && score >= 0 && score <= 1);
    return isUsual ? '0 to 1' : 'other numbers';
  },
});

export const moderationsResultsRepeated = choice('moderations.results.repeated', {
  says: 'Whether the same text has the same scores again.',
  alternatives: ['the same', 'others'],
  selector: where(
    successions({
      first: 'createModeration',
      later: 'createModeration',
      about: ({ requestJson: asked }) => JSON.stringify(asked ?? null),
    }),
    ({ before, after }) => before.responseJson !== undefined && after.responseJson !== undefined,
  ),
  taken: ({ before, after }) =>
    deepEqual(valueAtPath(before.responseJson, 'results'), valueAtPath(after.responseJson, 'results'))
      ? 'the same'
      : 'others',
});

export const moderationsCategoriesOther = choice('moderations.categories.other', {
  says: 'Whether there are categories beyond the listed ones.',
  alternatives: ['none', 'some'],
  selector: where(responses('createModeration'), ({ answer }) => arrayAt(answer, 'results').length > 0),
  taken: ({ answer }) => {
    const keys = arrayAt(answer, 'results').flatMap((result) => Object.keys(asObject(result, 'categories')));
    const others = keys.filter((key) => !LISTED.has(key));
    return others.length === 0 ? 'none' : 'some';
  },
  examples: {
    some: inResponse(
      'createModeration',
      allEdits(
        setValue('/results/*/categories/illicit', false),
        setValue('/results/*/category_scores/illicit', 0),
      ),
    ),
  },
  takesAway: { none: ['moderations.results.same-categories'] },
});

export const moderationsIdOwn = choice('moderations.id.own', {
  says: 'Whether each moderation has its own id, which is stated of chat alone.',
  alternatives: ['its own', 'that of another'],
  selector: idReuses('createModeration'),
  taken: ({ earlier }) => (earlier === null ? 'its own' : 'that of another'),
  examples: { 'that of another': setIn('createModeration', '/id', 'id_of_all') },
});

function asObject(value: Parameters<typeof valueAtPath>[0], key: string) {
  const found = valueAtPath(value, key);
  return isObject(found) ? found : {};
}
