import { requestOf, valueAt } from '../../drive/scenario/call-result.ts';
import { ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';

/** States in which a fine-tuning job has ended (part 2, "States and transitions"). No others follow. */
const over = ['succeeded', 'failed', 'cancelled'];

/**
 * Trains a model on ten examples for one epoch and returns its id. Only such a model may be deleted.
 * Throws ScenarioBlocked where the job ends without a model.
 */
export async function createFineTunedModel(context: ScenarioContext): Promise<string> {
  const training_file = await uploadSample(context, 'fine-tune');
  const body = {
    model: context.model('fine-tuning'),
    training_file,
    hyperparameters: { n_epochs: 1 },
    suffix: 'assay',
  };
  const job = await context.need('createFineTuningJob', { body });
  const path = { fine_tuning_job_id: job.text('/id') };
  const done = await context.poll('retrieveFineTuningJob', { path }, (json) =>
    over.includes(String(valueAt(json, '/status'))),
  );
  if (valueAt(done.json, '/status') === 'succeeded') return done.text('/fine_tuned_model');
  const state = valueAt(done.json, '/status');
  throw new ScenarioBlocked(done.exchange.id, {
    kind: 'other-state',
    ...requestOf(done.exchange),
    state: typeof state === 'string' ? state : null,
    needed: 'succeeded',
  });
}

/** A model id that no service has. */
export const UNKNOWN_MODEL = 'assay_no_such_model';

/** Requests in which any model id may stand, each valid but for that id. */
export const UNKNOWN_MODEL_USES = [
  {
    family: 'chat',
    form: 'chat',
    operation: 'createChatCompletion',
    cost: 'tokens',
    fields: { messages: [{ role: 'user', content: 'Say assay.' }], max_tokens: 4 },
  },
  {
    family: 'completions',
    form: 'completions',
    operation: 'createCompletion',
    cost: 'tokens',
    fields: { prompt: 'Say assay.', max_tokens: 4 },
  },
  {
    family: 'images',
    form: 'images',
    operation: 'createImage',
    cost: 'images',
    fields: { prompt: 'A red square on a white table.' },
  },
  { family: 'assistants', form: 'assistants-v2', operation: 'createAssistant', cost: 'free', fields: {} },
] as const;
