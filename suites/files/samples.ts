import type { RepeatedPart, ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { JsonObject } from '../../judge/trace/json.ts';
import type { FileValue } from '../generate/requests.ts';
import { jsonLines, pngFile, textFile } from '../generate/sample-files.ts';
import type { Json } from '../vocabulary/types.ts';

export const FILE_PURPOSES = ['assistants', 'vision', 'batch', 'fine-tune'] as const;

export type FilePurpose = (typeof FILE_PURPOSES)[number];

export function fileFor(purpose: FilePurpose, tag: string): FileValue {
  switch (purpose) {
    case 'assistants':
      return textFile(`${tag}.txt`, `The word of this file is assay.\n${tag}\nGrüße, 你好, 🙂\n`);
    case 'vision':
      return pngFile(`${tag}.png`, { width: 16, height: 16 });
    case 'batch':
      return jsonLines(`${tag}.jsonl`, [batchLine('first', 'any-model'), batchLine('second', 'any-model')]);
    case 'fine-tune':
      // Trainers usually require at least ten examples.
      return jsonLines(
        `${tag}.jsonl`,
        Array.from({ length: 10 }, (_, i) => trainingLine(i)),
      );
  }
}

export async function uploadSample(
  context: ScenarioContext,
  purpose: FilePurpose = 'batch',
): Promise<string> {
  return await uploadFile(context, purpose, fileFor(purpose, context.tag));
}

export async function uploadFile(
  context: ScenarioContext,
  purpose: FilePurpose,
  file: FileValue,
): Promise<string> {
  return (await context.need('createFile', { form: uploadForm(purpose, file) })).text('/id');
}

/** Uploads a file that the target may reject; null unless it is accepted. */
export async function uploadFlawed(
  context: ScenarioContext,
  purpose: FilePurpose,
  file: FileValue,
): Promise<string | null> {
  const created = await context.call('createFile', { form: uploadForm(purpose, file) });
  return created.ok ? created.text('/id') : null;
}

function uploadForm(purpose: FilePurpose, file: FileValue) {
  return [
    { name: 'purpose', value: purpose },
    { name: 'file', ...file },
  ];
}

/** A CSV table with the extension .jsonl, because an upload with its own extension may be rejected. */
export function tableFile(name: string): FileValue {
  return textFile(`${name}.jsonl`, 'first,second\none,two\n');
}

export function batchLine(id: string, model: string, more: JsonObject = {}): JsonObject {
  const body = { model, messages: [{ role: 'user', content: 'Say assay.' }], max_tokens: 8, ...more };
  return { custom_id: id, method: 'POST', url: '/v1/chat/completions', body };
}

function trainingLine(i: number): Json {
  return {
    messages: [
      { role: 'user', content: `What is ${i} and ${i}?` },
      { role: 'assistant', content: `It is ${i + i}.` },
    ],
  };
}

/** A file of `bytes` bytes with training lines of 128 bytes, generated while sent. The last line may be cut off. */
export function largeFile(filename: string, bytes: number): RepeatedPart {
  const line = (content: string): string =>
    `${JSON.stringify({
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'assay' },
      ],
    })}\n`;
  const text = line('a'.repeat(128 - line('').length));
  return { name: 'file', repeated: { text, bytes }, filename, type: 'application/jsonl' };
}
