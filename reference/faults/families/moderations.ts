import { changeResponse, rejectValid, setAtPointer, setInResponse } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { isJsonObject } from '../../http/json.ts';

const on = ['createModeration'];

export const faults: readonly Fault[] = [
  {
    id: 'moderations-stable-refused',
    says: 'rejects the model text-moderation-stable',
    requirement: 'createModeration:body.model#enum.accepted',
    on,
    does: rejectValid('model', (model) => model === 'text-moderation-stable'),
  },
  {
    id: 'moderations-order-reversed',
    says: 'results of several inputs are in reverse order',
    requirement: 'moderations.results.in-order',
    on,
    does: changeResponse((answer) => {
      const results = isJsonObject(answer) ? answer['results'] : [];
      return setAtPointer(answer, '/results', Array.isArray(results) ? results.toReversed() : []);
    }),
  },
  {
    id: 'moderations-one-result',
    says: 'moderates only the first of several inputs',
    requirement: 'moderations.results.one-of-each',
    on,
    does: changeResponse((answer) => {
      const results = isJsonObject(answer) ? answer['results'] : [];
      return setAtPointer(answer, '/results', Array.isArray(results) ? results.slice(0, 1) : []);
    }),
  },
  {
    id: 'moderations-category-missing',
    says: 'results lack the category violence',
    requirement: 'moderation:results[].categories.violence#required',
    on,
    does: setInResponse('/results/*/categories/violence', () => undefined),
  },
];
