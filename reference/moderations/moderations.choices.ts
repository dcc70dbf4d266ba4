import {
  type Alternative,
  answers,
  type ChoiceTable,
  elementsOf,
  objectOf,
  reads,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';
import { perService } from '../state/service.ts';

const MODERATION = ['createModeration'];

export const choices: ChoiceTable = {
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
  'moderations.results.repeated': { usual: 'the same', others: { others: scoresThatVary() } },
  'moderations.scores.range': {
    usual: '0 to 1',
    others: { 'other numbers': results((result) => changeScores(result, (score) => Math.log(score + 1e-9))) },
  },
};

function results(change: (result: JsonObject) => JsonObject): Alternative {
  return answers(MODERATION, (answer) => ({
    ...answer,
    results: elementsOf(answer['results']).map((result) => change(objectOf(result))),
  }));
}

function changeScores(result: JsonObject, change: (score: number) => number): JsonObject {
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
      changeScores(objectOf(result), (score) => score * (1 - times.count * 1e-6)),
    );
    return { ...answer, results: found };
  });
}
