import { requestOf, valueAt } from '../../drive/scenario/call-result.ts';
import { ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleJob, isJobOver } from '../fine-tuning/samples.ts';

/**
 * Trains a model on ten examples for one epoch and returns its id. Only such a model may be deleted.
 * Throws ScenarioBlocked where the job ends without a model.
 */
export async function createFineTunedModel(context: ScenarioContext): Promise<string> {
  const path = await createSampleJob(context, { suffix: 'assay' });
  const done = await context.poll('retrieveFineTuningJob', { path }, isJobOver);
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

/** Requests in which any model id is permitted, each valid except for that id. */
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
