import type { CallInput, ScenarioContext } from '../../drive/scenario/scenario.ts';
import { batchLine, type FilePurpose, uploadFile } from '../files/samples.ts';
import type { CancellationPlan } from '../generate/cancellations.ts';
import { jsonLines } from '../generate/sample-files.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';

/** The batch endpoints whose requests and responses the specification defines. */
export const CHAT = '/v1/chat/completions';
export const COMPLETIONS = '/v1/completions';

/** Throws `ScenarioBlocked` if the upload is rejected. */
export function uploadBatchInput(
  context: ScenarioContext,
  lines: readonly Json[],
  purpose: FilePurpose = 'batch',
): Promise<string> {
  return uploadFile(context, purpose, jsonLines(`${context.tag}.jsonl`, lines));
}

export function chatLines(context: ScenarioContext): readonly Json[] {
  const model = context.model('chat');
  const messages = [
    { role: 'user', content: 'Count from 1 to 9, digits separated by commas, nothing else.' },
  ];
  return [
    batchLine('first', model, { max_tokens: 2 }),
    batchLine('second', model, { messages, max_tokens: 16 }),
  ];
}

export function completionLines(context: ScenarioContext): readonly Json[] {
  return ['first', 'second'].map((custom_id) => {
    const body = { model: context.model('completion'), prompt: 'Say assay.', max_tokens: 4 };
    return { custom_id, method: 'POST', url: COMPLETIONS, body };
  });
}

/** A request that its endpoint rejects: the temperature is out of range. */
export function rejectedLine(context: ScenarioContext, custom_id: string): Json {
  const body = { model: context.model('chat'), messages: [{ role: 'user', content: 'Hi' }], temperature: 9 };
  return { custom_id, method: 'POST', url: CHAT, body };
}

/** The metadata identifies objects of this run. */
export function batchBody(context: ScenarioContext, input_file_id: string, endpoint = CHAT): JsonObject {
  return { input_file_id, endpoint, completion_window: '24h', metadata: { made_by: context.tag } };
}

export async function createSampleBatch(context: ScenarioContext): Promise<string> {
  const file = await uploadBatchInput(context, chatLines(context));
  return (await context.need('createBatch', { body: batchBody(context, file) })).text('/id');
}

export function isBatchOver(answer: Json | undefined): boolean {
  const status = valueAtPath(answer, 'status');
  return ['completed', 'failed', 'expired', 'cancelled'].some((end) => end === status);
}

export async function runBatch(
  context: ScenarioContext,
  body: JsonObject,
  input: CallInput = {},
): Promise<void> {
  const created = await context.call('createBatch', { ...input, body });
  if (!created.ok) return;
  const path = { batch_id: created.text('/id') };
  const ended = await context.poll('retrieveBatch', { path }, isBatchOver);
  await readBatchFiles(context, ended.json);
}

export async function readBatchFiles(context: ScenarioContext, batch: Json | undefined): Promise<void> {
  for (const field of ['input_file_id', 'output_file_id', 'error_file_id']) {
    const file_id = valueAtPath(batch, field);
    if (typeof file_id !== 'string') continue;
    await context.call('retrieveFile', { path: { file_id } });
    if (field !== 'input_file_id') await context.call('retrieveFileContent', { path: { file_id } });
  }
  await context.call('listFiles');
}

/** A batch that is still being validated is not in progress yet. */
export const batchCancellationPlan: CancellationPlan = {
  cancel: 'cancelBatch',
  reporting: ['createBatch', 'retrieveBatch'],
  running: ['in_progress'],
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createBatch' ? textAt(answer, 'id') : path['batch_id'],
};
