// Handmade objects as the deployed service returns them today: with fields that it has added to the specified ones, and
// without some of these.
import { PNG } from 'pngjs';
import type { Json, JsonObject } from '../../../schemas/json.ts';

/** A moment in 2025, in Unix seconds. */
export const NOW = 1_750_000_000;
/** A moment in 2023, in Unix seconds. */
export const IN_2023 = 1_692_661_014;

const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 3,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

/** A chat completion; `message` and `choice` replace fields of its only choice, `more` those of the completion. */
export function completion(
  message: JsonObject = {},
  choice: JsonObject = {},
  more: JsonObject = {},
): JsonObject {
  return {
    id: 'chatcmpl-a',
    object: 'chat.completion',
    created: NOW,
    model: 'gpt-4o-2024-08-06',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null, annotations: [], ...message },
        logprobs: null,
        finish_reason: 'stop',
        ...choice,
      },
    ],
    usage,
    service_tier: 'default',
    system_fingerprint: 'fp_a',
    ...more,
  };
}

/** A chunk of a streamed chat completion; without a delta, the last chunk, which has the usage. */
export function chunk(delta: JsonObject | null, finish: string | null = null): JsonObject {
  const choices = delta === null ? [] : [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return {
    id: 'chatcmpl-a',
    object: 'chat.completion.chunk',
    created: NOW,
    model: 'gpt-4o-2024-08-06',
    service_tier: 'default',
    system_fingerprint: 'fp_a',
    choices,
    usage: delta === null ? usage : null,
    obfuscation: 'abc',
  };
}

/** A text completion, or a chunk of a streamed one; `choice` replaces fields of its only choice. */
export function textCompletion(choice: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: 'cmpl-a',
    object: 'text_completion',
    created: NOW,
    model: 'm',
    system_fingerprint: 'fp_a',
    choices: [{ text: ' a', index: 0, logprobs: null, finish_reason: 'stop', ...choice }],
    usage,
    ...more,
  };
}

export function withoutMember(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

export const lookUpTool = {
  type: 'function',
  function: {
    name: 'look_up',
    description: 'Looks something up.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    strict: true,
  },
};

export function file(more: JsonObject = {}): JsonObject {
  return {
    object: 'file',
    id: 'file-a',
    purpose: 'user_data',
    filename: 'a.pdf',
    bytes: 3,
    created_at: NOW,
    expires_at: null,
    status: 'processed',
    status_details: null,
    ...more,
  };
}

export function drawing(width: number, height: number, more: JsonObject = {}): JsonObject {
  return {
    created: NOW,
    background: 'opaque',
    output_format: 'png',
    quality: 'high',
    size: `${width}x${height}`,
    data: [{ b64_json: PNG.sync.write(new PNG({ width, height })).toString('base64') }],
    usage: { input_tokens: 10, output_tokens: 1000, total_tokens: 1010 },
    ...more,
  };
}

export function runStep(more: JsonObject = {}): JsonObject {
  return {
    id: 'step_a',
    object: 'thread.run.step',
    created_at: NOW,
    assistant_id: 'asst_a',
    thread_id: 'thread_a',
    run_id: 'run_a',
    type: 'message_creation',
    status: 'in_progress',
    step_details: { type: 'message_creation', message_creation: { message_id: 'msg_a' } },
    last_error: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    usage: null,
    ...more,
  };
}

export function store(more: JsonObject = {}): JsonObject {
  return {
    id: 'vs_a',
    object: 'vector_store',
    created_at: NOW,
    name: 'a',
    description: null,
    usage_bytes: 0,
    file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
    status: 'completed',
    expires_after: null,
    expires_at: null,
    last_active_at: NOW,
    metadata: {},
    ...more,
  };
}

export function storeFile(more: JsonObject = {}): JsonObject {
  return {
    id: 'file-a',
    object: 'vector_store.file',
    usage_bytes: 10,
    created_at: NOW,
    vector_store_id: 'vs_a',
    status: 'completed',
    last_error: null,
    chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
    attributes: { author: 'b', year: 1 },
    ...more,
  };
}

export function batch(more: JsonObject = {}): JsonObject {
  const states = ['in_progress', 'finalizing', 'completed', 'failed', 'expired', 'cancelling', 'cancelled'];
  return {
    id: 'batch_a',
    object: 'batch',
    endpoint: '/v1/responses',
    model: null,
    errors: null,
    input_file_id: 'file-a',
    completion_window: '24h',
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    created_at: NOW,
    expires_at: NOW + 86_400,
    ...Object.fromEntries(states.map((state) => [`${state}_at`, null])),
    request_counts: { total: 0, completed: 0, failed: 0 },
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    metadata: null,
    ...more,
  };
}

export function job(more: JsonObject = {}): JsonObject {
  return {
    object: 'fine_tuning.job',
    id: 'ftjob-a',
    model: 'gpt-4o-mini-2024-07-18',
    created_at: NOW,
    finished_at: null,
    fine_tuned_model: null,
    organization_id: 'org-a',
    result_files: [],
    status: 'validating_files',
    validation_file: null,
    training_file: 'file-a',
    hyperparameters: { n_epochs: 1, batch_size: 'auto', learning_rate_multiplier: 'auto' },
    trained_tokens: null,
    error: {},
    user_provided_suffix: null,
    seed: 1,
    estimated_finish: null,
    integrations: [],
    metadata: null,
    method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 1 } } },
    ...more,
  };
}

export function assistant(more: JsonObject = {}): JsonObject {
  return {
    id: 'asst_a',
    object: 'assistant',
    created_at: NOW,
    name: null,
    description: null,
    model: 'gpt-4o',
    instructions: null,
    tools: [],
    top_p: 1,
    temperature: 1,
    reasoning_effort: null,
    tool_resources: {},
    metadata: {},
    response_format: 'auto',
    ...more,
  };
}

export function thread(more: JsonObject = {}): JsonObject {
  return { id: 'thread_a', object: 'thread', created_at: NOW, metadata: {}, tool_resources: {}, ...more };
}

export function threadMessage(more: JsonObject): JsonObject {
  return {
    id: 'msg_a',
    object: 'thread.message',
    created_at: NOW,
    thread_id: 'thread_a',
    role: 'user',
    content: [{ type: 'text', text: { value: 'Hello', annotations: [] } }],
    assistant_id: null,
    run_id: null,
    metadata: {},
    ...more,
  };
}

export function list(...data: readonly JsonObject[]): JsonObject {
  const id = (element: JsonObject | undefined): Json => element?.['id'] ?? null;
  return { object: 'list', data, first_id: id(data[0]), last_id: id(data.at(-1)), has_more: false };
}
