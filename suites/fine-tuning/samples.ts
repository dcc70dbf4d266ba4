import type { Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { get } from '../../judge/json.ts';
import { type Purpose, upload } from '../files/samples.ts';
import { jsonl } from '../generate/files.ts';

export type Body = Readonly<Record<string, Json>>;

/** Ten examples are the least that trainers customarily take. */
const EXAMPLES = 10;

/** Uploads examples; gives the id of the file. Those of different subjects have no example in common. */
export async function examples(
  stage: Stage,
  subject = 'twice',
  purpose: Purpose = 'fine-tune',
): Promise<string> {
  const lines = Array.from({ length: EXAMPLES }, (_, i) => ({
    messages: [
      { role: 'user', content: `What is ${subject} ${i}?` },
      { role: 'assistant', content: `It is ${subject} ${i}, and no more.` },
    ],
  }));
  return upload(stage, purpose, jsonl(`${stage.tag}.jsonl`, lines));
}

/** The required fields, and one epoch, so that it costs little. */
export async function bodyOf(stage: Stage, more: Body = {}): Promise<Body> {
  const training_file = await examples(stage);
  return { model: stage.model('fine-tuning'), training_file, hyperparameters: { n_epochs: 1 }, ...more };
}

/** Makes a job; gives its path. */
export async function job(stage: Stage, more: Body = {}): Promise<{ fine_tuning_job_id: string }> {
  const made = await stage.need('createFineTuningJob', { body: await bodyOf(stage, more) });
  return { fine_tuning_job_id: made.text('/id') };
}

/** Makes a job and waits until it has ended; gives its path. */
export async function trained(stage: Stage, more: Body = {}): Promise<{ fine_tuning_job_id: string }> {
  const path = await job(stage, more);
  await stage.poll('retrieveFineTuningJob', { path }, isOver);
  return path;
}

export function isOver(answer: Json): boolean {
  const status = get(answer, 'status');
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
