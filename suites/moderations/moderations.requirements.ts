import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswer, inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { LISTED } from './categories.ts';
import { byDefault, NAMES } from './names.ts';
import { judgedTogether } from './together.ts';

const SPEC = '2 Moderation';

const [DEFAULT, OTHER] = NAMES;

const counts: Readonly<Record<string, Break>> = {
  'one too many': inAnswer(
    'createModeration',
    put('/results', (results) => [...list(results), ...list(results).slice(0, 1)]),
  ),
  'the first is left out': inAnswer(
    'createModeration',
    put('/results', (results) => list(results).slice(1)),
  ),
};

export const ofText = requirement({
  id: 'moderations.results.one-of-a-text',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'One text gets one result.',
  on: only(answers('createModeration'), ({ asked }) => text(asked, 'input') !== undefined),
  check: ({ answer }) => amiss(list(answer, 'results').length, 1),
  breaks: counts,
});

export const ofTexts = requirement({
  id: 'moderations.results.one-of-each',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'Each of several texts gets a result.',
  on: only(answers('createModeration'), ({ asked }) => {
    const input = list(asked, 'input');
    return input.length > 0 && input.every((one) => typeof one === 'string');
  }),
  check: ({ asked, answer }) => amiss(list(answer, 'results').length, list(asked, 'input').length),
  breaks: counts,
});

export const inOrder = requirement({
  id: 'moderations.results.in-order',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The results of several texts are in the order of the texts.',
  on: judgedTogether(),
  check: ({ together, alone }) =>
    together.flatMap((actual, i) =>
      actual === alone[i]
        ? []
        : [{ at: `/results/${i}/flagged`, expected: `${alone[i]}, as the text alone is judged`, actual }],
    ),
  breaks: {
    'the other way round': inAnswer(
      'createModeration',
      put('/results', (results) => list(results).toReversed()),
    ),
    'what is flagged first': inAnswer(
      'createModeration',
      put('/results', (results) =>
        list(results).toSorted((a, b) => Number(get(b, 'flagged')) - Number(get(a, 'flagged'))),
      ),
    ),
    'what is flagged last': inAnswer(
      'createModeration',
      put('/results', (results) =>
        list(results).toSorted((a, b) => Number(get(a, 'flagged')) - Number(get(b, 'flagged'))),
      ),
    ),
  },
});

export const sameKeys = requirement({
  id: 'moderations.results.same-categories',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A category that is not listed is in both objects, with a flag and with a score.',
  on: only(answers('createModeration'), ({ answer }) => list(answer, 'results').length > 0),
  check: ({ answer }) =>
    list(answer, 'results').flatMap((result, i) => {
      const [flags, scores] = [keysOf(result, 'categories'), keysOf(result, 'category_scores')];
      // That the listed ones are in both is said by their schema.
      const lone = [...flags, ...scores].filter(
        (key) => !LISTED.has(key) && (!flags.includes(key) || !scores.includes(key)),
      );
      return lone.map((key) => ({
        at: `/results/${i}`,
        expected: `${key} in both objects`,
        actual: flags.includes(key) ? 'in categories alone' : 'in category_scores alone',
      }));
    }),
  breaks: {
    'one more category': inAnswer('createModeration', put('/results/*/categories/illicit', false)),
    'one more score': inAnswer('createModeration', put('/results/*/category_scores/illicit', 0)),
  },
});

function keysOf(result: Json, field: string): readonly string[] {
  const found = get(result, field);
  return isObject(found) ? Object.keys(found) : [];
}

export const defaultModel = requirement({
  id: 'moderations.model.default',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: `Without a model it is the model that answers to ${DEFAULT} that judges.`,
  on: byDefault,
  check: ({ named, unnamed }) => {
    const [wanted, actual] = [text(named.answer, 'model'), text(unnamed.answer, 'model')];
    // One may tell the name that was asked for, the other that of the model which answers to it.
    const isAlias = (wanted === DEFAULT) !== (actual === DEFAULT) && wanted !== OTHER && actual !== OTHER;
    return actual === wanted || isAlias ? [] : [{ at: '/model', expected: `${wanted}, as by name`, actual }];
  },
  breaks: {
    'the other model': inAnswerWhere('createModeration', isUnnamed, put('/model', OTHER)),
    'a model of its own': (trace) => {
      const named = inAnswerWhere('createModeration', (one) => !isUnnamed(one), put('/model', 'model-7'));
      const unnamed = inAnswerWhere('createModeration', isUnnamed, put('/model', 'model-of-another'));
      return unnamed(named(trace) ?? trace);
    },
  },
});

function isUnnamed({ request }: Exchange): boolean {
  return get(request.body.json?.value, 'model') === undefined;
}

function amiss(actual: number, wanted: number) {
  return actual === wanted
    ? []
    : [{ at: '/results', expected: `${wanted} results`, actual: `${actual} results` }];
}
