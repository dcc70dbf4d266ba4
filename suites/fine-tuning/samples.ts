import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { Json } from '../../exchange/http/body.ts';
import { valueAtPath } from '../../judge/evidence/json.ts';
import { type FilePurpose, uploadFileWith } from '../files/samples.ts';
import { jsonLines } from '../generate/files/sample-files.ts';

export type FineTuningBody = Readonly<Record<string, Json>>;

/** Ten examples are the least that trainers customarily take. */
const EXAMPLES = 10;

/** Uploads examples; gives the id of the file. Those of different subjects have no example in common. */
export async function uploadExamples(
  context: ScenarioContext,
  subject = 'twice',
  purpose: FilePurpose = 'fine-tune',
): Promise<string> {
  const lines = Array.from({ length: EXAMPLES }, (_, i) => ({
    messages: [
      { role: 'user', content: `What is ${subject} ${i}?` },
      { role: 'assistant', content: `It is ${subject} ${i}, and no more.` },
    ],
  }));
  return uploadFileWith(context, purpose, jsonLines(`${context.tag}.jsonl`, lines));
}

/** The required fields, and one epoch, so that it costs little. */
export async function fineTuningBody(
  context: ScenarioContext,
  more: FineTuningBody = {},
): Promise<FineTuningBody> {
  const training_file = await uploadExamples(context);
  return { model: context.model('fine-tuning'), training_file, hyperparameters: { n_epochs: 1 }, ...more };
}

/** Makes a job; gives its path. */
export async function createSampleJob(
  context: ScenarioContext,
  more: FineTuningBody = {},
): Promise<{ fine_tuning_job_id: string }> {
  const made = await context.need('createFineTuningJob', { body: await fineTuningBody(context, more) });
  return { fine_tuning_job_id: made.text('/id') };
}

/** Makes a job and waits until it has ended; gives its path. */
export async function createTrainedJob(
  context: ScenarioContext,
  more: FineTuningBody = {},
): Promise<{ fine_tuning_job_id: string }> {
  const path = await createSampleJob(context, more);
  await context.poll('retrieveFineTuningJob', { path }, isJobOver);
  return path;
}

export function isJobOver(answer: Json): boolean {
  const status = valueAtPath(answer, 'status');
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
