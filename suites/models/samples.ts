import { at, requestOf } from '../../drive/answer.ts';
import { Blocked, type Stage } from '../../drive/scenario.ts';
import { uploaded } from '../files/samples.ts';

const over = ['succeeded', 'failed', 'cancelled'];

/** Trains a model of our own on ten lines, for one epoch; gives back its id. Only such a model may be deleted. */
export async function tunedModel(stage: Stage): Promise<string> {
  const training_file = await uploaded(stage, 'fine-tune');
  const body = {
    model: stage.model('fine-tuning'),
    training_file,
    hyperparameters: { n_epochs: 1 },
    suffix: 'assay',
  };
  const job = await stage.need('createFineTuningJob', { body });
  const path = { fine_tuning_job_id: job.text('/id') };
  const done = await stage.poll('retrieveFineTuningJob', { path }, (json) =>
    over.includes(String(at(json, '/status'))),
  );
  if (at(done.json, '/status') === 'succeeded') return done.text('/fine_tuned_model');
  const state = at(done.json, '/status');
  throw new Blocked(done.exchange.id, {
    kind: 'other-state',
    ...requestOf(done.exchange),
    state: typeof state === 'string' ? state : null,
    needed: 'succeeded',
  });
}
