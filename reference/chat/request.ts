import type { ModelReply } from '../model/generate.ts';
import { ApiError } from '../server/api-error.ts';
import { isJsonObject } from '../server/json.ts';
import { range } from '../server/limits.ts';

/** The fields of a chat request that the handler reads, validated (2 Chat). */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly n?: number | null;
  readonly max_tokens?: number | null;
  /** Another seed words the reply differently. */
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly logprobs?: boolean | null;
  /** Alternatives to list for each token; needs `logprobs`. */
  readonly top_logprobs?: number | null;
  readonly logit_bias?: Readonly<Record<string, number>> | null;
  /** Only its type is read: JSON mode makes the reply a JSON object. */
  readonly response_format?: { readonly type?: string } | null;
  /** Read by `readTools`, which ignores tools other than functions. */
  readonly tools?: unknown;
  readonly tool_choice?:
    | 'none'
    | 'auto'
    | 'required'
    | { readonly function: { readonly name: string } }
    | null;
  /** Deprecated form of `tools`, with the functions themselves. */
  readonly functions?: unknown;
  readonly function_call?: 'none' | 'auto' | { readonly name: string } | null;
}

/** A completion before it is written as one object or in chunks. */
export interface ChatCompletion {
  /** The same for all chunks of a stream. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  readonly fingerprint: string;
  /** A reply for each choice. */
  readonly replies: readonly ModelReply[];
  /** True when calls are returned as `function_call` instead of `tool_calls`. */
  readonly legacy: boolean;
  /** For each choice the ids of its tool calls. */
  readonly callIds: readonly (readonly string[])[];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

/** Most choices and `top_logprobs`, so that one request cannot keep the service busy for long. */
const most = { choices: 128, alternatives: 20 };

/** Checks rules across fields and the limits of this service. @throws ApiError 400 */
export function checkChat(body: ChatRequest): void {
  if (body.messages.length === 0)
    throw ApiError.invalid('messages', "'messages' must hold at least one message.");
  range('n', body.n, 1, most.choices);
  range('max_tokens', body.max_tokens, 1, Number.MAX_SAFE_INTEGER);
  range('top_logprobs', body.top_logprobs, 0, most.alternatives);
  checkToolChoice(body);
}

/** A choice needs tools, and a named one must be among them. @throws ApiError 400 */
function checkToolChoice({ tools, tool_choice: choice, function_call: legacy }: ChatRequest): void {
  const named = isJsonObject(legacy) && typeof legacy['name'] === 'string';
  if (legacy && !named && legacy !== 'none' && legacy !== 'auto') {
    throw ApiError.invalid(
      'function_call',
      "'function_call' must be 'none', 'auto', or an object with a name.",
    );
  }
  if (choice === null || choice === undefined || choice === 'none') return;
  const names = Array.isArray(tools) ? tools.map((tool) => tool?.function?.name) : [];
  if (names.length === 0 && choice !== 'auto') {
    throw ApiError.invalid('tool_choice', "'tool_choice' needs 'tools'.");
  }
  if (typeof choice === 'object' && !names.includes(choice.function.name)) {
    throw ApiError.invalid(
      'tool_choice',
      `'tool_choice' names '${choice.function.name}', which is not in 'tools'.`,
    );
  }
}
