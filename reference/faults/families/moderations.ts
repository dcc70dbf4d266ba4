import { isJsonObject } from '../../json.ts';
import { answerWith, inAnswer } from '../answers.ts';
import { refusing } from '../asking.ts';
import { put } from '../edit.ts';
import type { Fault } from '../fault.ts';

const on = ['createModeration'];

export const faults: readonly Fault[] = [
  {
    id: 'moderations-stable-refused',
    says: 'text-moderation-stable is refused',
    requirement: 'createModeration:body.model#enum.accepted',
    on,
    does: refusing('model', (model) => model === 'text-moderation-stable'),
  },
  {
    id: 'moderations-order-reversed',
    says: 'the results of several texts come in reverse',
    requirement: 'moderations.results.in-order',
    on,
    does: inAnswer((answer) => {
      const results = isJsonObject(answer) ? answer['results'] : [];
      return put(answer, '/results', Array.isArray(results) ? results.toReversed() : []);
    }),
  },
  {
    id: 'moderations-one-result',
    says: 'only the first of several texts gets a result',
    requirement: 'moderations.results.one-of-each',
    on,
    does: inAnswer((answer) => {
      const results = isJsonObject(answer) ? answer['results'] : [];
      return put(answer, '/results', Array.isArray(results) ? results.slice(0, 1) : []);
    }),
  },
  {
    id: 'moderations-category-missing',
    says: 'results leave out the category violence',
    requirement: 'moderation:results[].categories.violence#required',
    on,
    does: answerWith('/results/*/categories/violence', () => undefined),
  },
];
