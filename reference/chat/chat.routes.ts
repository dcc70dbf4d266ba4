import { ApiError, checkContext, checkRange, shorten } from '../http/api-error.ts';
import { isJsonObject } from '../http/json.ts';
import { EventStreamResponse, type ServerEvent } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';
import {
  countPromptTokens,
  type FunctionChoice,
  generateReply,
  type ModelReply,
  makeFingerprint,
  nextSeededEnding,
  readContent,
  readTools,
  type Turn,
} from '../model/generate.ts';
import { streamCompletion } from '../model/stream-completion.ts';
import { bytesOf, logprobOf, makeUsage, tokenize, topLogprobs } from '../model/tokens.ts';
import { hashText } from '../state/ids.ts';
import type { Service } from '../state/service.ts';

/** Limits beyond the specification, to bound the work of one request. */
const MAX_CHOICES = 128;
const MAX_TOP_LOGPROBS = 20;

export const routes: Routes = (service) => [
  serves<ChatRequest>('createChatCompletion', ({ body }) => {
    const completion = createChatCompletion(service, body);
    if (body.stream === true) return new EventStreamResponse(chatChunks(completion, body));
    const { id, created, model, fingerprint, replies, usage } = completion;
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: replies.map((reply, index) => ({
        index,
        message: completion.isLegacy
          ? legacyMessage(reply)
          : messageWithTools(reply, completion.callIds[index] ?? []),
        logprobs: body.logprobs === true ? chatLogprobs(reply.tokens, body.top_logprobs ?? 0) : null,
        finish_reason: reply.finish,
      })),
      usage,
      system_fingerprint: fingerprint,
    };
  }),
];

type ChatCompletion = ReturnType<typeof createChatCompletion>;

function createChatCompletion(service: Service, body: ChatRequest) {
  checkChat(body);
  const model = modelsOf(service).need(body.model, 'chat');
  const turns: Turn[] = body.messages.map(({ role, content }) => ({ role, ...readContent(content) }));
  const { tools, choice, isLegacy } = readCallableFunctions(body);
  const promptTokens = countPromptTokens(turns, tools);
  checkContext('messages', promptTokens, body.max_tokens ?? 0, model.context);
  const seed = body.seed ?? null;
  const variation = seed === null ? 0 : hashText(String(seed));
  const replies = Array.from({ length: body.n ?? 1 }, (_, index) =>
    generateReply({
      turns,
      tools,
      toolChoice: choice,
      isJson: body.response_format?.type === 'json_object',
      stop: [body.stop ?? []].flat(),
      maxTokens: Math.min(body.max_tokens ?? Number.POSITIVE_INFINITY, model.context - promptTokens),
      ending: seed === null ? '' : nextSeededEnding(service, 'chat.seed.repeats'),
      keepsStop: service.takes('chat.stop.kept') === 'kept',
      variation: variation + index,
      bias: body.logit_bias ?? {},
    }),
  );
  const completionTokens = replies.reduce((sum, reply) => sum + reply.completionTokens, 0);
  return {
    id: service.id('chatcmpl-'),
    created: service.now(),
    model: model.id,
    fingerprint: makeFingerprint(service.seed),
    replies: isLegacy ? replies.map(convertToFunctionCall) : replies,
    isLegacy,
    // The service assigns the ids, so that they are unique across all replies.
    callIds: replies.map(({ calls }) => calls.map(() => service.id('call_'))),
    usage: makeUsage(promptTokens, completionTokens),
  };
}

function convertToFunctionCall(reply: ModelReply): ModelReply {
  const finish = reply.finish === 'tool_calls' ? 'function_call' : reply.finish;
  return { ...reply, finish, calls: reply.calls.slice(0, 1) };
}

function messageWithTools(reply: ModelReply, callIds: readonly string[]) {
  if (reply.calls.length === 0) return textMessage(reply);
  const calls = reply.calls.map((call, n) => ({ id: callIds[n] ?? '', type: 'function', function: call }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

function legacyMessage(reply: ModelReply) {
  const [call] = reply.calls;
  return call === undefined ? textMessage(reply) : { role: 'assistant', content: null, function_call: call };
}

const textMessage = ({ tokens }: ModelReply) => ({ role: 'assistant', content: tokens.join('') });

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly n?: number | null;
  readonly max_tokens?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
  readonly logit_bias?: Readonly<Record<string, number>> | null;
  /** Only the type is read: JSON mode makes the reply a JSON object. */
  readonly response_format?: { readonly type?: string } | null;
  /** Read by `readTools`, which ignores tools other than functions. */
  readonly tools?: unknown;
  readonly tool_choice?:
    | 'none'
    | 'auto'
    | 'required'
    | { readonly function: { readonly name: string } }
    | null;
  /** Deprecated form of `tools`: a list of the functions themselves. */
  readonly functions?: unknown;
  readonly function_call?: 'none' | 'auto' | { readonly name: string } | null;
}

function checkChat(body: ChatRequest): void {
  if (body.messages.length === 0)
    throw ApiError.invalid('messages', "'messages' must hold at least one message.");
  checkRange('n', body.n, 1, MAX_CHOICES);
  checkRange('max_tokens', body.max_tokens, 0, Number.MAX_SAFE_INTEGER);
  checkRange('top_logprobs', body.top_logprobs, 0, MAX_TOP_LOGPROBS);
  checkToolChoice(body);
}

function checkToolChoice({ tools, tool_choice: choice, function_call: call }: ChatRequest): void {
  const hasName = isJsonObject(call) && typeof call['name'] === 'string';
  if (call !== undefined && call !== null && !hasName && call !== 'none' && call !== 'auto') {
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
      `'tool_choice' names '${shorten(choice.function.name)}', which is not in 'tools'.`,
    );
  }
}

function readCallableFunctions(body: ChatRequest) {
  if (!Array.isArray(body.tools) && Array.isArray(body.functions)) {
    const tools = readTools(
      body.functions.map((definition: unknown) => ({ type: 'function', function: definition })),
    );
    const choice: FunctionChoice = body.function_call ?? 'auto';
    return { tools, choice, isLegacy: true };
  }
  const toolChoice = body.tool_choice ?? 'auto';
  const choice: FunctionChoice = typeof toolChoice === 'string' ? toolChoice : toolChoice.function;
  return { tools: readTools(body.tools), choice, isLegacy: false };
}

/** The stream of a completion: one delta of one choice in each chunk, then usage if requested, then `[DONE]`. */
function chatChunks(completion: ChatCompletion, body: ChatRequest): Generator<ServerEvent> {
  const { id, created, model, fingerprint, usage } = completion;
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: fingerprint };
  const choices = completion.replies.map((reply, index) => choiceParts(reply, index, completion, body));
  const includesUsage = body.stream_options?.include_usage === true;
  return streamCompletion(common, choices, includesUsage ? usage : null);
}

function* choiceParts(
  reply: ModelReply,
  index: number,
  { callIds, isLegacy }: ChatCompletion,
  body: ChatRequest,
): Generator<object> {
  const makePart = (delta: unknown, logprobs: unknown = null, finish_reason: string | null = null) => ({
    index,
    delta,
    logprobs,
    finish_reason,
  });
  // The role is sent once, in the first delta, because clients concatenate deltas.
  yield makePart({ role: 'assistant', content: reply.calls.length > 0 ? null : '' });
  for (const [n, token] of reply.tokens.entries()) {
    yield makePart(
      { content: token },
      body.logprobs === true ? chatLogprobs([token], body.top_logprobs ?? 0, n) : null,
    );
  }
  for (const [n, call] of reply.calls.entries()) {
    const callDelta = (piece: object, head: object = {}) =>
      isLegacy ? { function_call: piece } : { tool_calls: [{ index: n, ...head, function: piece }] };
    const head = { id: callIds[index]?.[n] ?? '', type: 'function' };
    yield makePart(callDelta({ name: call.name, arguments: '' }, head));
    for (const piece of tokenize(call.arguments)) yield makePart(callDelta({ arguments: piece }));
  }
  yield makePart({}, null, reply.finish);
}

function chatLogprobs(tokens: readonly string[], top: number, from = 0) {
  if (tokens.length === 0) return null;
  return {
    content: tokens.map((token, n) => ({
      token,
      logprob: logprobOf(token, from + n),
      bytes: bytesOf(token),
      top_logprobs: topLogprobs(token, from + n, top),
    })),
  };
}
