import {
  type ChoiceTable,
  field,
  fieldWhere,
  inPlace,
  objectOf,
  reordered,
  reversed,
  shown,
  shuffled,
} from '../deviations/alternatives.ts';

export const choices: ChoiceTable = {
  'batches.cancel.again': { usual: 'returned unchanged', others: { refused: inPlace } },
  'batches.cancel.in-time': {
    usual: 'in time',
    others: { 'too late': { hides: ['batches.cancel.again', 'batches.cancel.while-validating'] } },
  },
  'batches.cancel.too-late': { usual: 'refused', others: { 'returned unchanged': inPlace } },
  'batches.cancel.while-validating': {
    usual: 'cancelling',
    others: { refused: inPlace, cancelled: inPlace },
  },
  'batches.completed.error-file': { usual: 'null', others: { 'a file': inPlace } },
  'batches.create.expires-at': {
    usual: '24 hours after its creation',
    others: { null: field('batch', '/expires_at', null) },
  },
  'batches.error-line.response': { usual: 'the answer', others: { 'an error': inPlace, both: inPlace } },
  'batches.errors.end-state': { usual: 'failed', others: { completed: { hides: ['batches.errors.form'] } } },
  'batches.errors.form': {
    usual: 'object, data',
    others: { null: fieldWhere('batch', ({ status }) => status === 'failed', { errors: null }) },
  },
  'batches.list.order': {
    usual: 'newest first',
    others: {
      'oldest first': reordered(['listBatches'], reversed),
      neither: reordered(['listBatches'], shuffled),
    },
  },
  'batches.results.counts': {
    usual: 'as many as lines',
    others: {
      'other numbers': shown('batch', (batch) => {
        const counts = objectOf(batch['request_counts']);
        return batch['status'] === 'completed' && Number(counts['completed']) > 0
          ? { ...batch, request_counts: { ...counts, completed: Number(counts['completed']) + 7 } }
          : batch;
      }),
    },
  },
  'batches.results.purpose': { usual: 'batch_output', others: { batch: inPlace } },
};
