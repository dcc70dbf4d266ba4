import {
  type Alternative,
  type ChoiceEntry,
  type ChoiceTable,
  dropFields,
  elementsOf,
  field,
  fieldWhere,
  inPlace,
  intercepting,
  lacking,
  objectOf,
  reads,
  refuses,
  reordered,
  reversed,
  shown,
  shuffled,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';

const JOB = 'fine_tuning.job';
const EVENT = 'fine_tuning.job.event';
const CREATE = ['createFineTuningJob'];

/** The two metrics of a checkpoint in the table of the specification. */
const TWO = ['full_valid_loss', 'full_valid_mean_token_accuracy'];

export const choices: ChoiceTable = {
  'fine-tuning.cancel.in-time': { usual: 'in time', others: { 'too late': inPlace } },
  'fine-tuning.cancel.too-late': { usual: 'refused', others: { 'returned unchanged': inPlace } },
  'fine-tuning.checkpoint.metrics': {
    usual: 'all seven',
    others: {
      two: field('fine_tuning.job.checkpoint', '/metrics', (metrics) =>
        Object.fromEntries(Object.entries(objectOf(metrics)).filter(([name]) => TWO.includes(name))),
      ),
    },
  },
  'fine-tuning.checkpoints.order': orderOf('listFineTuningCheckpoints'),
  'fine-tuning.error.form': {
    usual: 'code, message, param',
    others: {
      message: field(JOB, '/error', (error) =>
        (error ?? null) === null ? null : { message: objectOf(error)['message'] ?? '' },
      ),
    },
  },
  'fine-tuning.error.of-others': {
    usual: 'null',
    others: { 'an object': fieldWhere(JOB, ({ status }) => status !== 'failed', { error: {} }) },
  },
  'fine-tuning.estimate.before-running': {
    usual: 'null',
    others: {
      present: fieldWhere(JOB, ({ status }) => status === 'queued' || status === 'validating_files', {
        estimated_finish: 4_000_000_000,
      }),
    },
  },
  'fine-tuning.estimate.while-running': {
    usual: 'present',
    others: { null: fieldWhere(JOB, ({ status }) => status === 'running', { estimated_finish: null }) },
  },
  'fine-tuning.event.data': {
    usual: 'null',
    others: { absent: lacking(EVENT, 'data'), 'an object': field(EVENT, '/data', { step: 1 }) },
  },
  'fine-tuning.event.levels': {
    usual: 'info',
    others: {
      warn: field(EVENT, '/level', (level) => (level === 'info' ? 'warn' : (level ?? null))),
      'info, warn': shown(EVENT, (event) =>
        /file|Step/.test(String(event['message'])) ? { ...event, level: 'warn' } : event,
      ),
    },
  },
  'fine-tuning.event.types': { usual: 'message', others: { none: lacking(EVENT, 'type') } },
  'fine-tuning.events.order': orderOf('listFineTuningEvents'),
  'fine-tuning.finished-at.without-success': {
    usual: 'present',
    others: {
      null: fieldWhere(JOB, ({ status }) => status === 'failed' || status === 'cancelled', {
        finished_at: null,
      }),
    },
  },
  'fine-tuning.hyperparameters.epochs': {
    usual: 'accepted',
    others: {
      refused: {
        ...refuses(CREATE, ({ body }) => (objectOf(body['hyperparameters'])['n_epochs'] ?? 1) !== 1),
        // One epoch makes too few of each to tell a shuffled list from an ordered one.
        hides: ['fine-tuning.checkpoints.order', 'fine-tuning.events.order'],
      },
    },
  },
  'fine-tuning.hyperparameters.keys': {
    usual: 'batch_size, learning_rate_multiplier, n_epochs',
    others: {
      n_epochs: {
        ...field(JOB, '/hyperparameters', (shown) => ({
          n_epochs: objectOf(shown)['n_epochs'] ?? 'auto',
        })),
        hides: ['fine-tuning.hyperparameters.other-keys'],
      },
    },
  },
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
  'fine-tuning.hyperparameters.unset': { usual: 'auto', others: { 'a number': inPlace } },
  'fine-tuning.integrations.kinds': {
    usual: 'accepted',
    others: { refused: refuses(CREATE, ({ body }) => elementsOf(body['integrations']).length > 0) },
  },
  'fine-tuning.integrations.unset': { usual: 'an empty list', others: { null: inPlace } },
  'fine-tuning.jobs.order': orderOf('listFineTuningJobs'),
  'fine-tuning.jobs.limit': {
    usual: '20',
    others: {
      '10': intercepting(['listFineTuningJobs'], {
        handle: (request, proceed) => proceed({ ...request, query: { limit: 10, ...request.query } }),
      }),
    },
  },
  'fine-tuning.results.listed': {
    usual: 'some',
    others: {
      none: {
        ...fieldWhere(JOB, ({ status }) => status === 'succeeded', { result_files: [] }),
        hides: ['fine-tuning.results.purpose'],
      },
    },
  },
  'fine-tuning.results.purpose': { usual: 'fine-tune-results', others: { 'fine-tune': inPlace } },
  'fine-tuning.results.trained-tokens': {
    usual: 'present',
    others: { null: fieldWhere(JOB, ({ status }) => status === 'succeeded', { trained_tokens: null }) },
  },
};

function orderOf(operation: string): ChoiceEntry {
  const others: Readonly<Record<string, Alternative>> = {
    'oldest first': reordered([operation], reversed),
    neither: reordered([operation], shuffled),
  };
  return { usual: 'newest first', others };
}

function withHyperparameters(body: JsonObject, change: (given: JsonObject) => JsonObject): JsonObject {
  const given = objectOf(body['hyperparameters']);
  return Object.keys(given).some((name) => name !== 'n_epochs')
    ? { ...dropFields(body, ['hyperparameters']), hyperparameters: change(given) }
    : body;
}
