// Cases of the errata of the dialect `openai` that no other file of this folder has.
import type { Json, JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import {
  assistant,
  batch,
  completion,
  drawing,
  IN_2023,
  job,
  list,
  NOW,
  runStep,
  storeFile,
  textCompletion,
  thread,
  threadMessage,
  withoutMember,
} from './objects.ts';

const beta = 'v2';
const inStore = (path: string, answer: JsonObject): Sketch => ({
  call: `GET /v1/vector_stores/vs_a/${path}`,
  beta,
  answer,
});
const withoutSize = withoutMember(storeFile(), 'usage_bytes');
const attachment: Sketch = {
  call: 'POST /v1/vector_stores/vs_a/files',
  beta,
  sent: { file_id: 'file-a' },
  answer: storeFile({ status: 'in_progress' }),
};
const train = (answer: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/fine_tuning/jobs',
    sent: { model: 'm', training_file: 'file-a' },
    answer: { ...answer, model: 'm' },
  },
];
const LATER_JOB_FIELDS = ['seed', 'error', 'integrations', 'estimated_finish'];
function oldJob(created_at: number): JsonObject {
  const present = Object.entries(job()).filter(([name]) => !LATER_JOB_FIELDS.includes(name));
  return { ...Object.fromEntries(present), created_at, status: 'queued' };
}
const draw = (model: string, more: JsonObject = {}, answer = drawing(256, 256)): readonly Sketch[] => [
  { call: 'POST /v1/images/generations', sent: { model, prompt: 'A cat.', ...more }, answer },
];
const createThread = (metadata: JsonObject, kept: JsonObject): readonly Sketch[] => [
  { call: 'POST /v1/threads', beta, sent: { metadata }, answer: thread({ metadata: kept }) },
];
const say = (metadata: JsonObject, kept: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/threads/thread_a/messages',
    beta,
    sent: { role: 'user', content: 'Hello', metadata },
    answer: threadMessage({ metadata: kept }),
  },
];
const tagThread = (value: JsonObject | boolean | number) => createThread({ key: value }, { key: 'True' });
const showRunStep = (more: JsonObject): readonly Sketch[] => [
  {
    call: 'GET /v1/threads/thread_a/runs/run_a/steps/step_a',
    beta,
    answer: runStep({ metadata: {}, ...more }),
  },
];
const write = (answer: JsonObject): readonly Sketch[] => [
  { call: 'POST /v1/completions', sent: { model: 'm', prompt: 'a' }, answer },
];
const writeIn2023 = (text: string, more: JsonObject): readonly Sketch[] =>
  write({ ...withoutMember(textCompletion({ text }), 'usage'), created: IN_2023, ...more });
const partialUsage = { usage: { prompt_tokens: 5, total_tokens: 5 } };
const chat = (answer: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/chat/completions',
    sent: { model: 'm', messages: [{ role: 'user', content: 'a' }] },
    answer: { ...answer, model: 'm' },
  },
];
const oldWithoutFinish = (answer: JsonObject): JsonObject => {
  const [choice] = answer['choices'] as readonly JsonObject[]; // as: each completion of objects.ts has choices
  return { ...answer, created: IN_2023, choices: [withoutMember(choice ?? {}, 'finish_reason')] };
};
const chatUnfinished = (created: number) => chat(completion({}, { finish_reason: null }, { created }));
const batchPage = list(batch({ endpoint: '/v1/embeddings' }));
const listBatches = (ends: JsonObject): readonly Sketch[] => [
  { call: 'GET /v1/batches', answer: { ...batchPage, ...ends } },
];
const IMAGE_URL = 'createChatCompletion:body.messages[].content(array)[image_url].image_url#type.rejected';
const describeImage = (image_url: Json): readonly Sketch[] => [
  {
    call: 'POST /v1/chat/completions',
    sent: { model: 'gpt-4o', messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] },
    answer: completion(),
  },
];
const withoutResources = withoutMember(thread(), 'tool_resources');
const showAssistant = (type: string): readonly Sketch[] => [
  {
    call: 'GET /v1/assistants/asst_a',
    beta,
    answer: assistant({ response_format: { type } }),
  },
];

export const ERRATA: readonly ErratumCase[] = [
  {
    erratum: 'run-step-times',
    excused: showRunStep({ expires_at: null }),
    beyond: [{ traffic: showRunStep({}), breaks: 'thread.run.step:expired_at#expected' }],
  },
  {
    erratum: 'batch-files-without-size',
    excused: [inStore('files_batches/vsfb_a/files', list(withoutSize))],
    beyond: [
      { traffic: [inStore('files', list(withoutSize))], breaks: 'vector_store.file:usage_bytes#required' },
      {
        traffic: [inStore('file_batches/vsfb_a/files', list(storeFile({ usage_bytes: 'many' })))],
        breaks: 'vector_store.file:usage_bytes#type',
      },
    ],
  },
  {
    erratum: 'store-file-times',
    excused: [
      attachment,
      inStore('files/file-a', storeFile({ created_at: NOW + 1 })),
      inStore('files', list(storeFile({ created_at: NOW - 1 }))),
    ],
    beyond: [
      {
        traffic: [attachment, inStore('files/file-a', storeFile({ created_at: NOW + 2 }))],
        breaks: 'vector-store-files.retrieve.as-created',
      },
    ],
  },
  {
    erratum: 'job-begins-with-validation',
    excused: [...train(job()), ...train({ ...oldJob(IN_2023), id: 'ftjob-b', status: 'created' })],
    beyond: [
      { traffic: train(job({ status: 'running' })), breaks: 'fine-tuning.create.queued' },
      { traffic: train(job({ status: 'created' })), breaks: 'fine_tuning.job:status#enum' },
      { traffic: train({ ...oldJob(IN_2023), status: 'running' }), breaks: 'fine-tuning.create.queued' },
    ],
  },
  {
    erratum: 'jobs-of-2023',
    excused: train(oldJob(IN_2023)),
    beyond: [
      { traffic: train(oldJob(NOW)), breaks: 'fine_tuning.job:seed#required' },
      { traffic: train({ ...oldJob(IN_2023), seed: 'a' }), breaks: 'fine_tuning.job:seed#type' },
    ],
  },
  {
    erratum: 'images-of-today',
    excused: draw('gpt-image-1-mini'),
    beyond: [
      { traffic: draw('dall-e-2'), breaks: 'images.answer.url-when-asked' },
      { traffic: draw('gpt-image-1', { response_format: 'url' }), breaks: 'images.answer.url-when-asked' },
      { traffic: draw('gpt-image-1', { size: '1024x1024' }), breaks: 'images.answer.size-as-asked' },
      { traffic: draw('dall-e-2', { response_format: 'b64_json' }), breaks: 'images.answer.size-as-asked' },
      {
        traffic: draw('gpt-image-1', {}, drawing(1024, 1024, { data: [{}] })),
        breaks: 'images.answer.url-when-asked',
      },
    ],
  },
  {
    erratum: 'metadata-as-text',
    excused: [
      ...createThread({ key: true, k: false, z: 'kept' }, { key: 'True', k: 'false', z: 'kept' }),
      ...say({ k: true, z: 'kept' }, { k: 'True', z: 'kept' }),
    ],
    beyond: [
      { traffic: say({ k: true }, { k: 'False' }), breaks: 'messages.create.keeps-metadata' },
      {
        traffic: say({ k: true, z: 'kept' }, { k: 'True', z: 'wrong' }),
        breaks: 'messages.create.keeps-metadata',
      },
      { traffic: tagThread({ inner: 'a' }), breaks: 'createThread:body.metadata.*#type.rejected' },
      { traffic: tagThread(1), breaks: 'createThread:body.metadata.*#type.rejected' },
      { traffic: createThread({ k: 1 }, { k: '1' }), breaks: 'createThread:body.metadata.*#type.rejected' },
      { traffic: tagThread(false), breaks: 'createThread:body.metadata.*#type.rejected' },
      {
        traffic: createThread({ k: true, z: 'kept' }, { k: 'true', z: 'wrong' }),
        breaks: 'threads.create.keeps-metadata',
      },
      {
        traffic: createThread({ k: true, z: 'kept' }, { z: 'kept' }),
        breaks: 'createThread:body.metadata.*#type.rejected',
      },
    ],
  },
  {
    erratum: 'usage-of-empty-text',
    excused: writeIn2023('', partialUsage),
    beyond: [
      { traffic: writeIn2023('a', partialUsage), breaks: 'usage:completion_tokens#required' },
      { traffic: writeIn2023('', { usage: { total_tokens: 5 } }), breaks: 'usage:prompt_tokens#required' },
      { traffic: chat(completion({}, {}, partialUsage)), breaks: 'usage:completion_tokens#required' },
    ],
  },
  {
    erratum: 'old-completions',
    excused: [
      ...writeIn2023(' a', {}),
      ...write(textCompletion({ finish_reason: null }, { id: 'cmpl-b', created: IN_2023 })),
      ...write({ ...oldWithoutFinish(textCompletion({})), id: 'cmpl-c' }),
      ...chatUnfinished(IN_2023),
      ...chat({ ...oldWithoutFinish(withoutMember(completion(), 'usage')), id: 'chatcmpl-b' }),
    ],
    beyond: [
      { traffic: writeIn2023(' a', { created: NOW }), breaks: 'text_completion:usage#required' },
      { traffic: chatUnfinished(NOW), breaks: 'chat.completion:choices[].finish_reason#type' },
      {
        traffic: chat(completion({}, { finish_reason: 5 }, { created: IN_2023 })),
        breaks: 'chat.completion:choices[].finish_reason#type',
      },
    ],
  },
  {
    erratum: 'batch-page-ids',
    excused: [
      ...listBatches({ first_id: 'batch_b', last_id: 'batch_c' }),
      { call: 'GET /v1/batches', answer: withoutMember(withoutMember(batchPage, 'first_id'), 'last_id') },
    ],
    beyond: [
      { traffic: listBatches({ first_id: 'file-a' }), breaks: 'listBatches.page.first-id' },
      { traffic: listBatches({ first_id: null }), breaks: 'batch.list:#ids-of-a-page' },
      {
        traffic: [{ call: 'GET /v1/batches', answer: withoutMember(batchPage, 'first_id') }],
        breaks: 'batch.list:#ids-of-a-page',
      },
    ],
  },
  {
    erratum: 'image-url-as-text',
    excused: describeImage('https://service.example/cat.png'),
    beyond: [
      { traffic: describeImage('a cat'), breaks: IMAGE_URL },
      { traffic: describeImage(5), breaks: IMAGE_URL },
    ],
  },
  {
    erratum: 'thread-without-resources',
    excused: [{ call: 'GET /v1/threads/thread_a', beta, answer: withoutResources }],
    beyond: [
      {
        traffic: [{ call: 'GET /v1/threads/thread_a', beta, answer: thread({ tool_resources: 'none' }) }],
        breaks: 'thread:tool_resources#type',
      },
    ],
  },
  {
    erratum: 'formats-of-today',
    excused: [...showAssistant('text'), ...showAssistant('json_schema')],
    beyond: [{ traffic: showAssistant('xml'), breaks: 'assistant.response_format:(object).type#const' }],
  },
];
