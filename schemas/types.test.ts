import { expect, test } from 'vitest';
import { schemaNames, schemaValidator } from './index.ts';
import type { ChatCompletionChunk, CreateChatCompletionRequest, FileObject, Schemas } from './types.d.ts';

test('every schema has a type with its name', () => {
  const names: readonly (keyof Schemas)[] = [
    'chat.completion',
    'thread.run.step',
    'batch.output',
    'createFile',
  ];
  expect(schemaNames()).toEqual(expect.arrayContaining([...names]));
});

test('values of the types match the schemas', () => {
  const file: FileObject = {
    id: 'file-1',
    bytes: 1,
    created_at: 1700000000,
    filename: 'a.txt',
    object: 'file',
    purpose: 'vision',
  };
  const chunk: ChatCompletionChunk = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1700000000,
    model: 'model-1',
    system_fingerprint: 'fp_1',
    choices: [{ index: 0, delta: { content: 'Hi' }, logprobs: null, finish_reason: 'a reason of its own' }],
  };
  const request: CreateChatCompletionRequest = {
    model: 'model-1',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    stop: ['a', 'b'],
  };
  expect(schemaValidator('file')(file)).toEqual([]);
  expect(schemaValidator('chat.completion.chunk')(chunk)).toEqual([]);
  expect(schemaValidator('createChatCompletion')(request)).toEqual([]);
});

test('a value that no schema allows has no type', () => {
  // @ts-expect-error: an unknown purpose
  const purpose: FileObject['purpose'] = 'fun';
  // @ts-expect-error: no stop sequence is a number
  const stop: CreateChatCompletionRequest['stop'] = 7;
  expect([purpose, stop]).toEqual(['fun', 7]);
});
