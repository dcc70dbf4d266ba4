import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import { requirement } from '../../judge/write.ts';
import { cancellations, notRefused } from '../generate/cancellations.ts';
import { inTurn } from '../generate/in-turn.ts';

/** A refusal is held against the target only where the job was told to go on afterwards: otherwise it came too late. */
export const accepted = requirement({
  id: 'fine-tuning.cancel.accepted',
  level: 'MUST',
  basis: 'implied',
  spec: '2 States and transitions',
  says: 'A job that goes on lets itself be cancelled.',
  on: cancellations({
    cancel: 'cancelFineTuningJob',
    telling: ['createFineTuningJob', 'retrieveFineTuningJob'],
    running: ['validating_files', 'queued', 'running'],
    about: ({ path, answer, operation }) =>
      operation.id === 'createFineTuningJob' ? text(answer, 'id') : path['fine_tuning_job_id'],
  }),
  check: notRefused,
  breaks: {
    'always refused': inTurn(
      status('cancelFineTuningJob', 400),
      inAnswer('retrieveFineTuningJob', put('/status', 'running')),
    ),
    'never found': inTurn(
      status('cancelFineTuningJob', 404),
      inAnswer('retrieveFineTuningJob', put('/status', 'running')),
    ),
  },
});
