import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { type FilePurpose, uploadFile } from '../files/samples.ts';
import type { FileValue } from '../generate/requests.ts';
import { jsonLines } from '../generate/sample-files.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';

/** Trainers usually require at least ten examples. */
const EXAMPLE_COUNT = 10;

/** Files with different subjects share no example. */
export function trainingExamples(filename: string, subject: string): FileValue {
  const lines = Array.from({ length: EXAMPLE_COUNT }, (_, i) => ({
    messages: [
      { role: 'user', content: `What is ${subject} ${i}?` },
      { role: 'assistant', content: `It is ${subject} ${i}, and no more.` },
    ],
  }));
  return jsonLines(filename, lines);
}

export async function uploadExamples(
  context: ScenarioContext,
  subject = 'twice',
  purpose: FilePurpose = 'fine-tune',
): Promise<string> {
  return uploadFile(context, purpose, trainingExamples(`${context.tag}.jsonl`, subject));
}

/** A single epoch keeps the cost low. */
export async function createJobBody(context: ScenarioContext, more: JsonObject = {}): Promise<JsonObject> {
  const training_file = await uploadExamples(context);
  return { model: context.model('fine-tuning'), training_file, hyperparameters: { n_epochs: 1 }, ...more };
}

export async function createSampleJob(
  context: ScenarioContext,
  more: JsonObject = {},
): Promise<{ fine_tuning_job_id: string }> {
  const created = await context.need('createFineTuningJob', { body: await createJobBody(context, more) });
  return { fine_tuning_job_id: created.text('/id') };
}

export async function createEndedJob(
  context: ScenarioContext,
  more: JsonObject = {},
): Promise<{ fine_tuning_job_id: string }> {
  const path = await createSampleJob(context, more);
  await context.poll('retrieveFineTuningJob', { path }, isJobOver);
  return path;
}

const TERMINAL_STATES: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export function isJobOver(answer: Json): boolean {
  return TERMINAL_STATES.includes(textAt(answer, 'status') ?? '');
}
