import type { CallInput, Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { get } from '../../judge/json.ts';
import { batchLine, type Purpose, upload } from '../files/samples.ts';
import { jsonl } from '../generate/files.ts';

export type Body = Readonly<Record<string, Json>>;

export const CHAT = '/v1/chat/completions';
export const COMPLETIONS = '/v1/completions';

/** Uploads lines for a batch, each a request; gives the id of the file. */
export function input(stage: Stage, lines: readonly Json[], purpose: Purpose = 'batch'): Promise<string> {
  return upload(stage, purpose, jsonl(`${stage.tag}.jsonl`, lines));
}

/** Two small requests for chat completions. */
export function chatLines(stage: Stage): readonly Json[] {
  return ['first', 'second'].map((id) => batchLine(id, stage.model('chat')));
}

/** Two small requests for text completions. */
export function completionLines(stage: Stage): readonly Json[] {
  return ['first', 'second'].map((custom_id) => {
    const body = { model: stage.model('completion'), prompt: 'Say "assay".', max_tokens: 4 };
    return { custom_id, method: 'POST', url: COMPLETIONS, body };
  });
}

/** A request that its endpoint turns down: the temperature is out of range. */
export function refusedLine(stage: Stage, custom_id: string): Json {
  const body = { model: stage.model('chat'), messages: [{ role: 'user', content: 'Hi' }], temperature: 9 };
  return { custom_id, method: 'POST', url: CHAT, body };
}

export function bodyOf(stage: Stage, input_file_id: string, endpoint = CHAT): Body {
  return { input_file_id, endpoint, completion_window: '24h', metadata: { made_by: stage.tag } };
}

/** Makes a batch of chat completions; gives its id. */
export async function batch(stage: Stage): Promise<string> {
  const file = await input(stage, chatLines(stage));
  return (await stage.need('createBatch', { body: bodyOf(stage, file) })).text('/id');
}

/** Whether a batch has come to an end: none of the states on the way there. */
export function isOver(answer: Json): boolean {
  const status = get(answer, 'status');
  return ['completed', 'failed', 'expired', 'cancelled'].some((end) => end === status);
}

/** Runs a batch to its end and reads what came of it. */
export async function finished(stage: Stage, body: Body, input: CallInput = {}): Promise<void> {
  const made = await stage.call('createBatch', { ...input, body });
  if (!made.ok) return;
  const path = { batch_id: made.text('/id') };
  const ended = await stage.poll('retrieveBatch', { path }, isOver);
  for (const field of ['output_file_id', 'error_file_id']) {
    const file_id = get(ended.json, field);
    if (typeof file_id !== 'string') continue;
    await stage.call('retrieveFile', { path: { file_id } });
    await stage.call('retrieveFileContent', { path: { file_id } });
  }
}
