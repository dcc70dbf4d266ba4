import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import { requirement } from '../../judge/write.ts';
import { cancellations, notRefused } from '../generate/cancellations.ts';
import { inTurn } from '../generate/in-turn.ts';

/** A refusal is held against the target only where the batch was told to go on afterwards: otherwise it came too late. */
export const accepted = requirement({
  id: 'batches.cancel.accepted',
  level: 'MUST',
  basis: 'implied',
  spec: '2 States and transitions',
  says: 'A batch that goes on lets itself be cancelled.',
  on: cancellations({
    cancel: 'cancelBatch',
    telling: ['createBatch', 'retrieveBatch'],
    running: ['validating', 'in_progress'],
    about: ({ path, answer, operation }) =>
      operation.id === 'createBatch' ? text(answer, 'id') : path['batch_id'],
  }),
  check: notRefused,
  breaks: {
    'always refused': inTurn(
      status('cancelBatch', 400),
      inAnswer('retrieveBatch', put('/status', 'in_progress')),
    ),
    'never found': inTurn(
      status('cancelBatch', 404),
      inAnswer('retrieveBatch', put('/status', 'in_progress')),
    ),
  },
});
