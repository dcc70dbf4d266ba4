import type { Json } from '../../../exchange/http/body.ts';
import { TraceBuilder } from '../../../judge/testing/trace-builder.ts';

export interface RunEventSketch {
  readonly event: string;
  readonly data: Json;
}

type Fields = Readonly<Record<string, Json>>;

const TIMES = { completed_at: null, failed_at: null, cancelled_at: null };
export const RUN_USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
export const runPath = { thread_id: 'thread_1', run_id: 'run_1' };

export function runObject(status: string, fields: Fields = {}): Json {
  return {
    id: 'run_1',
    object: 'thread.run',
    created_at: 100,
    assistant_id: 'asst_1',
    thread_id: 'thread_1',
    status,
    ...TIMES,
    started_at: status === 'queued' ? null : 101,
    expires_at: 700,
    required_action: null,
    last_error: null,
    model: 'chat-1',
    instructions: 'Be brief.',
    incomplete_details: null,
    tools: [],
    tool_resources: {},
    metadata: {},
    usage: null,
    temperature: 1,
    top_p: 1,
    max_prompt_tokens: null,
    max_completion_tokens: null,
    truncation_strategy: { type: 'auto', last_messages: null },
    response_format: 'auto',
    tool_choice: 'auto',
    ...fields,
  };
}

export function stepObject(id: string, status: string, fields: Fields = {}): Json {
  return {
    id,
    object: 'thread.run.step',
    created_at: 102,
    run_id: 'run_1',
    thread_id: 'thread_1',
    assistant_id: 'asst_1',
    type: 'message_creation',
    status,
    step_details: { type: 'message_creation', message_creation: { message_id: 'msg_1' } },
    last_error: null,
    ...TIMES,
    expired_at: null,
    metadata: {},
    usage: null,
    ...fields,
  };
}

export function messageObject(status: string, value: string | null, fields: Fields = {}): Json {
  return {
    id: 'msg_1',
    object: 'thread.message',
    created_at: 102,
    thread_id: 'thread_1',
    run_id: 'run_1',
    assistant_id: 'asst_1',
    role: 'assistant',
    status,
    incomplete_details: null,
    completed_at: status === 'completed' ? 103 : null,
    incomplete_at: null,
    content: value === null ? [] : [{ type: 'text', text: { value, annotations: [] } }],
    metadata: {},
    ...fields,
  };
}

export function functionCallDetails(args: string): Json {
  const called = { name: 'get_weather', arguments: args, output: null };
  return { type: 'tool_calls', tool_calls: [{ id: 'call_1', type: 'function', function: called }] };
}

function textDelta(value: string): RunEventSketch {
  const content = [{ index: 0, type: 'text', text: { value, annotations: [] } }];
  return {
    event: 'thread.message.delta',
    data: { id: 'msg_1', object: 'thread.message.delta', delta: { content } },
  };
}

function callDelta(chunk: Fields): RunEventSketch {
  const delta = {
    step_details: { type: 'tool_calls', tool_calls: [{ index: 0, type: 'function', ...chunk }] },
  };
  return { event: 'thread.run.step.delta', data: { id: 'step_1', object: 'thread.run.step.delta', delta } };
}

const thread = { id: 'thread_1', object: 'thread', created_at: 100, metadata: {}, tool_resources: {} };
const START: readonly RunEventSketch[] = [
  { event: 'thread.created', data: thread },
  { event: 'thread.run.created', data: runObject('queued') },
  { event: 'thread.run.queued', data: runObject('queued') },
  { event: 'thread.run.in_progress', data: runObject('in_progress') },
];
const DONE: RunEventSketch = { event: 'done', data: '[DONE]' };

export const messageRun: readonly RunEventSketch[] = [
  ...START,
  { event: 'thread.run.step.created', data: stepObject('step_1', 'in_progress') },
  { event: 'thread.run.step.in_progress', data: stepObject('step_1', 'in_progress') },
  { event: 'thread.message.created', data: messageObject('in_progress', null) },
  { event: 'thread.message.in_progress', data: messageObject('in_progress', null) },
  textDelta('Hel'),
  textDelta('lo'),
  textDelta('.'),
  { event: 'thread.message.completed', data: messageObject('completed', 'Hello.') },
  {
    event: 'thread.run.step.completed',
    data: stepObject('step_1', 'completed', { completed_at: 103, usage: RUN_USAGE }),
  },
  { event: 'thread.run.completed', data: runObject('completed', { completed_at: 103, usage: RUN_USAGE }) },
  DONE,
];

const CALL_STEP = { type: 'tool_calls', step_details: { type: 'tool_calls', tool_calls: [] } };
const TOOLS = [{ type: 'function', function: { name: 'get_weather', parameters: {} } }];

export const waitingRun: readonly RunEventSketch[] = [
  ...START.map(({ event, data }) => ({ event, data: event === 'thread.created' ? data : toolRun(data) })),
  { event: 'thread.run.step.created', data: stepObject('step_1', 'in_progress', CALL_STEP) },
  { event: 'thread.run.step.in_progress', data: stepObject('step_1', 'in_progress', CALL_STEP) },
  callDelta({ id: 'call_1', function: { name: 'get_weather', arguments: '', output: null } }),
  callDelta({ function: { arguments: '{"city":' } }),
  callDelta({ function: { arguments: '"Paris"}' } }),
  {
    event: 'thread.run.requires_action',
    data: toolRun(
      runObject('requires_action', {
        required_action: {
          type: 'submit_tool_outputs',
          submit_tool_outputs: {
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
              },
            ],
          },
        },
      }),
    ),
  },
  DONE,
];

function toolRun(data: Json): Json {
  return { ...Object(data), tools: TOOLS };
}

export function streamedTrace(
  events: readonly RunEventSketch[],
  how: 'complete' | 'client-abort' | 'upstream-reset' = 'complete',
  fields: Fields = {},
): TraceBuilder {
  const trace = new TraceBuilder();
  const body = { assistant_id: 'asst_1', stream: true, ...fields };
  trace.add('createThreadAndRun', { body, beta: 'assistants=v2' }, { events, how });
  return trace;
}
