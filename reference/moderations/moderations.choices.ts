import {
  type Alternative,
  answers,
  type ChoiceTable,
  elementsOf,
  objectOf,
  reads,
  refuses,
} from '../deviations/alternatives.ts';
import type { Json, JsonObject } from '../http/json.ts';
import { perService } from '../state/service.ts';

const MODERATION = ['createModeration'];

export const choices: ChoiceTable = {
  'moderations.categories.other': {
    usual: 'none',
    others: {
      some: results((result) => ({
        ...result,
        categories: { ...objectOf(result['categories']), illicit: false },
        category_scores: { ...objectOf(result['category_scores']), illicit: 0.0001 },
      })),
    },
  },
  'moderations.flagged.by-category': {
    usual: 'just there',
    others: {
      'also elsewhere': results((result) => ({ ...result, flagged: true })),
      'not wherever one is': results((result) => ({ ...result, flagged: false })),
    },
  },
  'moderations.id.own': {
    usual: 'its own',
    others: { 'that of another': answers(MODERATION, (answer) => ({ ...answer, id: 'modr-of-all' })) },
  },
  'moderations.input.elements': {
    usual: 'refused',
    others: {
      judged: reads(MODERATION, (body) =>
        Array.isArray(body['input'])
          ? {
              ...body,
              input: body['input'].map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
            }
          : body,
      ),
    },
  },
  'moderations.input.empty': {
    usual: 'no results',
    others: {
      refused: refuses(MODERATION, ({ body }) => isEmptyList(body['input'])),
      'one result': reads(MODERATION, (body) => (isEmptyList(body['input']) ? { ...body, input: '' } : body)),
    },
  },
  'moderations.model.echo': {
    usual: 'as asked',
    others: {
      'by another name': answers(MODERATION, (answer) => ({ ...answer, model: `${answer['model']}-007` })),
    },
  },
  'moderations.results.repeated': { usual: 'the same', others: { others: scoresThatVary() } },
  'moderations.scores.range': {
    usual: '0 to 1',
    others: { 'other numbers': results((result) => scored(result, (score) => Math.log(score + 1e-9))) },
  },
};

function results(change: (result: JsonObject) => JsonObject): Alternative {
  return answers(MODERATION, (answer) => ({
    ...answer,
    results: elementsOf(answer['results']).map((result) => change(objectOf(result))),
  }));
}

function scored(result: JsonObject, change: (score: number) => number): JsonObject {
  const scores = Object.entries(objectOf(result['category_scores']));
  return {
    ...result,
    category_scores: Object.fromEntries(scores.map(([category, score]) => [category, change(Number(score))])),
  };
}

const judged = perService(() => ({ count: 0 }));

function scoresThatVary(): Alternative {
  return answers(MODERATION, (answer, { service }) => {
    const times = judged(service);
    times.count += 1;
    const found = elementsOf(answer['results']).map((result) =>
      scored(objectOf(result), (score) => score * (1 - times.count * 1e-6)),
    );
    return { ...answer, results: found };
  });
}

function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}
