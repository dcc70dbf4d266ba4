import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { TodayCase } from './case.ts';
import { assistant, batch, file, job, list, lookUpTool, NOW, store, storeFile, thread } from './objects.ts';

const beta = 'v2';
const upload = (purpose: string, answer: JsonObject): Sketch => ({
  call: 'POST /v1/files',
  form: [
    ['purpose', purpose],
    ['file', 'abc', 'a.pdf'],
  ],
  answer,
});
const createStore = (more: JsonObject): Sketch => ({
  call: 'POST /v1/vector_stores',
  beta,
  sent: { name: 'a', chunking_strategy: { type: 'auto' } },
  answer: store(more),
});
const attachment: Sketch = {
  call: 'POST /v1/vector_stores/vs_a/files',
  beta,
  sent: { file_id: 'file-a', attributes: { author: 'b', year: 1 } },
  answer: storeFile({ status: 'in_progress' }),
};
const retrieveFile = (more: JsonObject): Sketch => ({
  call: 'GET /v1/vector_stores/vs_a/files/file-a',
  beta,
  answer: storeFile(more),
});
const search: Sketch = {
  call: 'POST /v1/vector_stores/vs_a/search',
  beta,
  sent: { query: 'a', filters: { type: 'eq', key: 'author', value: 'b' } },
  answer: {
    object: 'vector_store.search_results.page',
    search_query: ['a'],
    data: [{ file_id: 'file-a', filename: 'a', score: 0.9, attributes: {}, content: [] }],
    has_more: false,
    next_page: null,
  },
};
const createAssistant = (sent: JsonObject, answer: JsonObject): Sketch => ({
  call: 'POST /v1/assistants',
  beta,
  sent: { model: 'gpt-4o', ...sent },
  answer: assistant(answer),
});
const createThread = (answer: JsonObject): Sketch => ({
  call: 'POST /v1/threads',
  beta,
  sent: { tool_resources: { file_search: { vector_stores: [{ file_ids: ['file-a'] }] } } },
  answer: thread(answer),
});
const schemaFormat = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };
const createBatch = (answer: JsonObject): Sketch => ({
  call: 'POST /v1/batches',
  sent: { input_file_id: 'file-a', endpoint: '/v1/responses', completion_window: '24h' },
  answer: batch(answer),
});
const createJob = (answer: JsonObject): Sketch => ({
  call: 'POST /v1/fine_tuning/jobs',
  sent: {
    model: 'gpt-4o-mini-2024-07-18',
    training_file: 'file-a',
    method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 1 } } },
  },
  answer: job(answer),
});
const moderate = (categories: JsonObject): Sketch => ({
  call: 'POST /v1/moderations',
  sent: { model: 'omni-moderation-latest', input: [{ type: 'text', text: 'a' }] },
  answer: {
    id: 'modr-a',
    model: 'omni-moderation-latest',
    results: [
      {
        flagged: false,
        categories,
        category_scores: Object.fromEntries(Object.keys(categories).map((name) => [name, 0.001])),
        category_applied_input_types: { violence: ['text'] },
      },
    ],
  },
});
const CATEGORIES = [
  'sexual',
  'sexual/minors',
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'violence',
  'violence/graphic',
];
const categories = Object.fromEntries(CATEGORIES.map((name) => [name, false]));

export const STORED_CASES: readonly TodayCase[] = [
  {
    name: 'files for newer purposes',
    traffic: [
      upload('user_data', file()),
      upload('evals', file({ id: 'file-b', purpose: 'evals' })),
      { call: 'GET /v1/files?purpose=user_data', answer: list(file()) },
    ],
    wrong: { call: 'GET /v1/files?purpose=user_data', answer: list(file({ purpose: 'evals' })) },
    breaks: 'files.list.as-uploaded',
  },
  {
    name: 'a store with attributes, its search and the content of its files',
    traffic: [
      createStore({}),
      attachment,
      retrieveFile({ created_at: NOW + 1 }),
      {
        call: 'POST /v1/vector_stores/vs_a/files/file-a',
        beta,
        sent: { attributes: { author: 'c' } },
        answer: storeFile({ attributes: { author: 'c' } }),
      },
      search,
      {
        call: 'GET /v1/vector_stores/vs_a/files/file-a/content',
        beta,
        answer: { object: 'vector_store.file_content.page', data: [{ type: 'text', text: 'a' }] },
      },
      retrieveFile({ attributes: { author: 'c' } }),
    ],
    wrong: retrieveFile({ vector_store_id: 5 }),
    breaks: 'vector_store.file:vector_store_id#type',
  },
  {
    name: 'an assistant with newer tools and formats',
    traffic: [
      createAssistant(
        {
          tools: [{ type: 'file_search', file_search: { max_num_results: 10 } }, lookUpTool],
          response_format: schemaFormat,
        },
        {
          tools: [
            {
              type: 'file_search',
              file_search: { max_num_results: 10, ranking_options: { ranker: 'a', score_threshold: 0 } },
            },
            lookUpTool,
          ],
          response_format: {
            ...schemaFormat,
            json_schema: { ...schemaFormat.json_schema, description: null, strict: false },
          },
        },
      ),
      createAssistant(
        { response_format: { type: 'text' } },
        { id: 'asst_b', response_format: { type: 'text' } },
      ),
    ],
    wrong: createAssistant({}, { id: 'asst_b', tools: 5 }),
    breaks: 'assistant.v2:tools#type',
  },
  {
    name: 'a store that is created with a thread',
    traffic: [createThread({ tool_resources: { file_search: { vector_store_ids: ['vs_b'] } } })],
    wrong: createThread({ created_at: 'now' }),
    breaks: 'thread:created_at#type',
  },
  {
    name: 'a batch of responses',
    traffic: [createBatch({})],
    wrong: createBatch({ status: 'completed' }),
    breaks: 'batches.create.validating',
  },
  {
    name: 'a fine-tuning job with a method',
    traffic: [createJob({})],
    wrong: createJob({ fine_tuned_model: 'ft:a' }),
    breaks: 'fine-tuning.create.no-model-yet',
  },
  {
    name: 'moderation with newer categories',
    traffic: [moderate(categories)],
    wrong: moderate({ ...categories, hate: 'no' }),
    breaks: 'moderation:results[].categories.hate#type',
  },
];
