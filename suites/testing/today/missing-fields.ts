import type { Json, JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import {
  batch,
  chunk,
  completion,
  NOW,
  runStep,
  textCompletion,
  threadMessage,
  withoutMember,
} from './objects.ts';

const beta = 'v2';
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const retrieveMessage = (more: JsonObject, version: 'v1' | 'v2' = beta): readonly Sketch[] => [
  { call: 'GET /v1/threads/thread_a/messages/msg_a', beta: version, answer: threadMessage(more) },
];
const baseStep = (more: JsonObject = {}) => runStep({ expired_at: null, ...more });
const retrieveStep = (more: JsonObject): readonly Sketch[] => [
  { call: 'GET /v1/threads/thread_a/runs/run_a/steps/step_a', beta, answer: baseStep(more) },
];
const getBatch = (more: JsonObject): readonly Sketch[] => [
  { call: 'GET /v1/batches/batch_a', answer: batch({ endpoint: '/v1/completions', ...more }) },
];
const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'a' }] };
const chat = (answer: JsonObject): readonly Sketch[] => [
  { call: 'POST /v1/chat/completions', sent: question, answer },
];
const streamChat = (...events: readonly Json[]): readonly Sketch[] => [
  { call: 'POST /v1/chat/completions', sent: { ...question, stream: true }, events: [...events, '[DONE]'] },
];
const completeText = (answer: JsonObject): readonly Sketch[] => [
  { call: 'POST /v1/completions', sent: { model: 'm', prompt: 'a' }, answer },
];
const streamText = (piece: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/completions',
    sent: { model: 'm', prompt: 'a', stream: true },
    events: [piece, '[DONE]'],
  },
];
const inEachForm = (change: (answer: JsonObject) => JsonObject, id = 'a'): readonly Sketch[] => [
  ...chat({ ...change(completion()), id: `chatcmpl-${id}` }),
  ...streamChat({ ...change(chunk({ role: 'assistant', content: 'Hello' }, 'stop')), id: `chunk-${id}` }),
  ...completeText({ ...change(textCompletion({})), id: `cmpl-${id}` }),
  ...streamText({ ...change(withoutMember(textCompletion({}), 'usage')), id: `piece-${id}` }),
];
const withoutLogprobs = (answer: JsonObject): JsonObject => {
  const [choice] = answer['choices'] as readonly JsonObject[]; // as: each of these answers has choices
  return { ...answer, choices: [withoutMember(choice ?? {}, 'logprobs')] };
};
const run = (status: string, more: JsonObject = {}): JsonObject => ({
  id: 'run_a',
  object: 'thread.run',
  created_at: NOW,
  assistant_id: 'asst_a',
  thread_id: 'thread_a',
  status,
  started_at: NOW,
  expires_at: NOW + 600,
  cancelled_at: null,
  failed_at: null,
  completed_at: null,
  required_action: null,
  last_error: null,
  model: 'gpt-4o',
  instructions: 'a',
  tools: [],
  tool_resources: {},
  metadata: {},
  temperature: 1,
  top_p: 1,
  max_completion_tokens: 1,
  max_prompt_tokens: null,
  truncation_strategy: { type: 'auto', last_messages: null },
  incomplete_details: null,
  usage: null,
  response_format: 'auto',
  tool_choice: 'auto',
  ...more,
});
const text = { type: 'text', text: { value: 'He', annotations: [] } };
const reply = (status: string, content: Json): JsonObject => ({
  id: 'msg_a',
  object: 'thread.message',
  created_at: NOW,
  thread_id: 'thread_a',
  role: 'assistant',
  status,
  content,
  attachments: [],
  assistant_id: 'asst_a',
  run_id: 'run_a',
  completed_at: null,
  incomplete_at: status === 'incomplete' ? NOW : null,
  incomplete_details: status === 'incomplete' ? { reason: 'max_tokens' } : null,
  metadata: {},
});
const streamRun = (last: JsonObject, created = reply('in_progress', [])): readonly Sketch[] => [
  {
    call: 'POST /v1/threads/thread_a/runs',
    beta,
    sent: { assistant_id: 'asst_a', stream: true, max_completion_tokens: 1, instructions: 'a' },
    events: [
      ['thread.run.created', run('queued', { started_at: null })],
      ['thread.run.queued', run('queued', { started_at: null })],
      ['thread.run.in_progress', run('in_progress')],
      ['thread.run.step.created', baseStep()],
      ['thread.run.step.in_progress', baseStep()],
      ['thread.message.created', created],
      ['thread.message.in_progress', reply('in_progress', [])],
      [
        'thread.message.delta',
        { id: 'msg_a', object: 'thread.message.delta', delta: { content: [{ index: 0, ...text }] } },
      ],
      ['thread.message.incomplete', reply('incomplete', [text])],
      ['thread.run.step.completed', baseStep({ status: 'completed', completed_at: NOW, usage })],
      ['thread.run.completed', last],
      ['done', '[DONE]'],
    ],
  },
];
const cutOff = { incomplete_details: { reason: 'max_completion_tokens' }, usage };

export const MISSING_FIELDS: readonly ErratumCase[] = [
  {
    erratum: 'run-step-without-metadata',
    excused: retrieveStep({}),
    beyond: [{ traffic: retrieveStep({ metadata: 5 }), breaks: 'metadata:#type' }],
  },
  {
    erratum: 'message-without-state',
    excused: retrieveMessage({}),
    beyond: [
      { traffic: retrieveMessage({ status: 5 }), breaks: 'thread.message:status#type' },
      { traffic: retrieveMessage({ completed_at: 'now' }), breaks: 'thread.message:completed_at#type' },
      {
        traffic: streamRun(run('incomplete', cutOff), withoutMember(reply('in_progress', []), 'status')),
        breaks: 'thread.message:status#required',
      },
    ],
  },
  {
    erratum: 'message-attachments',
    excused: retrieveMessage({ attachments: [] }, 'v1'),
    beyond: [
      { traffic: retrieveMessage({ file_ids: 'none' }, 'v1'), breaks: 'thread.message.v1:file_ids#type' },
      { traffic: retrieveMessage({}, 'v1'), breaks: 'thread.message.v1:file_ids#required' },
    ],
  },
  {
    erratum: 'batch-fields-until-set',
    excused: getBatch({ request_counts: null }),
    beyond: [
      {
        traffic: getBatch({ request_counts: null, status: 'completed', completed_at: NOW }),
        breaks: 'batch:request_counts#type',
      },
      { traffic: getBatch({ request_counts: 5 }), breaks: 'batch:request_counts#type' },
      { traffic: getBatch({ request_counts: { total: null } }), breaks: 'batch:request_counts.total#type' },
    ],
  },
  {
    erratum: 'system-fingerprint',
    excused: [
      ...inEachForm((answer) => withoutMember(answer, 'system_fingerprint')),
      ...inEachForm((answer) => ({ ...answer, system_fingerprint: null }), 'b'),
    ],
    beyond: [
      {
        traffic: chat(completion({}, {}, { system_fingerprint: 5 })),
        breaks: 'chat.completion:system_fingerprint#type',
      },
    ],
  },
  {
    erratum: 'choice-without-logprobs',
    excused: inEachForm(withoutLogprobs),
    beyond: [
      { traffic: chat(completion({}, { logprobs: 5 })), breaks: 'chat.completion:choices[].logprobs#type' },
    ],
  },
  {
    erratum: 'incomplete-run-event',
    excused: streamRun(run('incomplete', cutOff)),
    beyond: [
      { traffic: streamRun(run('failed', { failed_at: NOW })), breaks: 'thread.run.completed:status#const' },
    ],
  },
];
