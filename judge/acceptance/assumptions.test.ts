import { expect, test } from 'vitest';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function countRefusals(...sent: readonly CallSketch[]): number {
  return [...evaluateAcceptance(sent).refused.values()].reduce((a, b) => a + b, 0);
}

test('a value of an unspecified form is valid if another request with it was accepted', () => {
  const upload = (id: string): CallSketch => [
    'createFile',
    {
      form: [
        { name: 'purpose', value: 'fine-tune' },
        { name: 'file', value: '{}', filename: 'a.jsonl' },
      ],
    },
    { json: { id, object: 'file' } },
  ];
  const job = (n_epochs: number, more: object, answer: ResponseSketch): CallSketch => [
    'createFineTuningJob',
    { body: { model: 'm', training_file: 'file-1', hyperparameters: { n_epochs }, ...more } },
    answer,
  ];
  const created: ResponseSketch = { json: { id: 'ftjob-1', object: 'fine_tuning.job' } };
  expect(countRefusals(upload('file-1'), job(3, {}, created), job(3, { seed: 1 }, NO))).toBe(1);
  expect(countRefusals(upload('file-1'), job(1, {}, created), job(3, {}, NO))).toBe(0);
});

test('a picture from another client is known to be valid once a request with it was accepted', () => {
  const picture = (url: string, response: ResponseSketch): CallSketch => {
    const content = [{ type: 'image_url', image_url: { url } }];
    return [
      'createChatCompletion',
      { body: { model: 'm', messages: [{ role: 'user', content }] } },
      response,
    ];
  };
  const models = { chat: 'm', vision: 'm' };
  const countRefused = (...sent: readonly CallSketch[]) =>
    evaluateAcceptance(sent, models).refused.get('createChatCompletion') ?? 0;
  const [url, other] = ['data:image/png;base64,AAAA', 'data:image/png;base64,BBBB'];
  expect(countRefused(picture(other, OK), picture(url, NO))).toBe(0);
  expect(countRefused(picture(url, OK), picture(url, NO))).toBe(1);
});

test('files of uploads in another form than multipart are not taken for equal ones', () => {
  const upload = (id: string): CallSketch => [
    'createFile',
    { body: { purpose: 'assistants', file: `content of ${id}` } },
    { json: { id, object: 'file' } },
  ];
  const onStore = { beta: 'assistants=v2', path: { vector_store_id: 'vs_1' } };
  const put = (file_id: string, response: ResponseSketch): CallSketch => [
    'createVectorStoreFile',
    { ...onStore, body: { file_id } },
    response,
  ];
  const store: CallSketch = [
    'createVectorStore',
    { beta: 'assistants=v2', body: {} },
    { json: { id: 'vs_1' } },
  ];
  expect(countRefusals(store, upload('file-1'), upload('file-2'), put('file-1', OK), put('file-2', NO))).toBe(
    0,
  );
});

test('names, types, purposes and endpoints that String() cannot convert do not stop the judge', () => {
  const odd = { toString: 1 };
  const tools = [{ type: 'function', function: { name: odd } }, { type: odd }];
  const assistant = { id: 'x', object: 'assistant', tools };
  const sent: readonly CallSketch[] = [
    ['createAssistant', { beta: 'assistants=v2', body: { model: 'm' } }, { json: assistant }],
    ['createFile', { body: { purpose: odd } }, OK],
    ['createBatch', { body: { endpoint: odd, completion_window: '24h' } }, OK],
  ];
  expect(() => countRefusals(...sent)).not.toThrow();
});
