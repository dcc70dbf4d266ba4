import { requestOf, valueAt } from '../../drive/scenario/call-result.ts';
import { ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleJob, isJobOver } from '../fine-tuning/samples.ts';

/**
 * Trains on ten examples for one epoch. The suite deletes only such models. @throws ScenarioBlocked unless the job
 * succeeds in time.
 */
export async function createFineTunedModel(context: ScenarioContext): Promise<string> {
  const path = await createSampleJob(context, { suffix: 'assay' });
  const job = await context.poll('retrieveFineTuningJob', { path }, isJobOver);
  const state = valueAt(job.json, '/status');
  if (state === 'succeeded') return job.text('/fine_tuned_model');
  throw new ScenarioBlocked(job.exchange.id, {
    kind: 'other-state',
    ...requestOf(job.exchange),
    state: typeof state === 'string' ? state : null,
    needed: 'succeeded',
  });
}
