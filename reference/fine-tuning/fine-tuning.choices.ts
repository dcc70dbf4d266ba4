import {
  type ChoiceTable,
  dropFields,
  intercepting,
  objectOf,
  reads,
  refuses,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';

const CREATE = ['createFineTuningJob'];

export const choices: ChoiceTable = {
  'fine-tuning.hyperparameters.other-keys': {
    usual: 'kept',
    others: {
      'left out': reads(CREATE, (body) =>
        withHyperparameters(body, (given) => ({ n_epochs: given['n_epochs'] ?? 'auto' })),
      ),
      refused: refuses(CREATE, ({ body }) =>
        Object.keys(objectOf(body['hyperparameters'])).some((name) => name !== 'n_epochs'),
      ),
    },
  },
  'fine-tuning.jobs.limit': {
    usual: '20',
    others: {
      '10': intercepting(['listFineTuningJobs'], {
        handle: (request, proceed) => proceed({ ...request, query: { limit: 10, ...request.query } }),
      }),
    },
  },
};

function withHyperparameters(body: JsonObject, change: (given: JsonObject) => JsonObject): JsonObject {
  const given = objectOf(body['hyperparameters']);
  return Object.keys(given).some((name) => name !== 'n_epochs')
    ? { ...dropFields(body, ['hyperparameters']), hyperparameters: change(given) }
    : body;
}
