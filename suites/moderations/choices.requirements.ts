import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { all, put } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import { same } from '../../judge/schema/kinds.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { byIdentity } from '../../judge/selectors/identity.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { LISTED } from './categories.ts';

const SPEC = '2 Moderation';

export const elements = choice({
  id: 'moderations.input.elements',
  spec: SPEC,
  says: 'What becomes of an array whose elements are no texts.',
  alternatives: ['refused', 'judged'],
  on: only(requests('createModeration'), ({ asked, call }) => {
    const input = list(asked, 'input');
    return call.exchange.probe === null && input.some((one) => typeof one !== 'string');
  }),
  taken: ({ call }) => {
    if (call.outcome === 'rejected') return 'refused';
    return call.outcome === 'accepted' ? 'judged' : null;
  },
  examples: {
    judged: succeedAnyway('createModeration', () => ({ results: [] })),
  },
});

export const emptyInput = choice({
  id: 'moderations.input.empty',
  spec: SPEC,
  says: 'What becomes of an array without elements.',
  alternatives: ['refused', 'no results', 'one result'],
  on: only(requests('createModeration'), ({ asked }) => {
    const input = get(asked, 'input');
    return Array.isArray(input) && input.length === 0;
  }),
  taken: ({ call }) => {
    if (call.outcome === 'rejected') return 'refused';
    if (call.answer === undefined) return null;
    return list(call.answer, 'results').length === 0 ? 'no results' : 'one result';
  },
  examples: {
    'one result': inAnswer('createModeration', put('/results', [{ flagged: false }])),
  },
});

export const echo = choice({
  id: 'moderations.model.echo',
  spec: SPEC,
  says: 'How the model is named in the answer.',
  alternatives: ['as asked', 'by another name'],
  on: only(answers('createModeration'), ({ asked }) => text(asked, 'model') !== undefined),
  taken: ({ asked, answer }) =>
    get(answer, 'model') === get(asked, 'model') ? 'as asked' : 'by another name',
  examples: {
    'by another name': inAnswer('createModeration', put('/model', 'model-of-today')),
  },
});

export const flagged = choice({
  id: 'moderations.flagged.by-category',
  spec: SPEC,
  says: 'Whether a text is flagged just where a category is.',
  alternatives: ['just there', 'also elsewhere', 'not wherever one is'],
  on: answers('createModeration'),
  taken: ({ answer }) => {
    const results = list(answer, 'results').map((result) => {
      const categories = get(result, 'categories');
      const some = isObject(categories) && Object.values(categories).includes(true);
      return { isFlagged: get(result, 'flagged') === true, some };
    });
    if (results.some(({ isFlagged, some }) => some && !isFlagged)) return 'not wherever one is';
    if (results.some(({ isFlagged, some }) => isFlagged && !some)) return 'also elsewhere';
    return results.some(({ isFlagged }) => isFlagged) ? 'just there' : null;
  },
  examples: {
    'also elsewhere': inAnswer('createModeration', put('/results/*/flagged', true)),
    'not wherever one is': inAnswer('createModeration', put('/results/*/flagged', false)),
  },
});

export const scores = choice({
  id: 'moderations.scores.range',
  spec: SPEC,
  says: 'Between which numbers the scores of categories lie.',
  alternatives: ['0 to 1', 'other numbers'],
  on: only(answers('createModeration'), ({ answer }) => list(answer, 'results').length > 0),
  taken: ({ answer }) => {
    const all = list(answer, 'results').flatMap((result) =>
      Object.values(asObject(result, 'category_scores')),
    );
    const isUsual = all.every((score) => typeof score === 'number' && score >= 0 && score <= 1);
    return isUsual ? '0 to 1' : 'other numbers';
  },
});

export const repeated = choice({
  id: 'moderations.results.repeated',
  spec: SPEC,
  says: 'Whether the same text is given the same scores again.',
  alternatives: ['the same', 'others'],
  on: only(
    successions({
      first: 'createModeration',
      later: 'createModeration',
      about: ({ asked }) => JSON.stringify(asked ?? null),
    }),
    ({ before, after }) => before.answer !== undefined && after.answer !== undefined,
  ),
  taken: ({ before, after }) =>
    same(get(before.answer, 'results'), get(after.answer, 'results')) ? 'the same' : 'others',
});

export const otherCategories = choice({
  id: 'moderations.categories.other',
  spec: SPEC,
  says: 'Whether there are categories beyond those that are listed.',
  alternatives: ['none', 'some'],
  on: only(answers('createModeration'), ({ answer }) => list(answer, 'results').length > 0),
  taken: ({ answer }) => {
    const keys = list(answer, 'results').flatMap((result) => Object.keys(asObject(result, 'categories')));
    const others = keys.filter((key) => !LISTED.has(key));
    return others.length === 0 ? 'none' : 'some';
  },
  examples: {
    some: inAnswer(
      'createModeration',
      all(put('/results/*/categories/illicit', false), put('/results/*/category_scores/illicit', 0)),
    ),
  },
});

export const ownId = choice({
  id: 'moderations.id.own',
  spec: SPEC,
  says: 'Whether each moderation has an id of its own, which is said of chat alone.',
  alternatives: ['its own', 'that of another'],
  on: byIdentity('createModeration'),
  taken: ({ earlier }) => (earlier === null ? 'its own' : 'that of another'),
  examples: { 'that of another': inAnswer('createModeration', put('/id', 'id_of_all')) },
});

function asObject(value: Parameters<typeof get>[0], key: string) {
  const found = get(value, key);
  return isObject(found) ? found : {};
}
