import { requestOf, valueAt } from '../../drive/scenario/call-result.ts';
import { ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleJob, isJobOver } from '../fine-tuning/samples.ts';

/**
 * Trains a model on ten examples for one epoch and returns its id. Only such a model may be deleted. Throws
 * ScenarioBlocked if the job ends without a model.
 */
export async function createFineTunedModel(context: ScenarioContext): Promise<string> {
  const path = await createSampleJob(context, { suffix: 'assay' });
  const done = await context.poll('retrieveFineTuningJob', { path }, isJobOver);
  const state = valueAt(done.json, '/status');
  if (state === 'succeeded') return done.text('/fine_tuned_model');
  throw new ScenarioBlocked(done.exchange.id, {
    kind: 'other-state',
    ...requestOf(done.exchange),
    state: typeof state === 'string' ? state : null,
    needed: 'succeeded',
  });
}
