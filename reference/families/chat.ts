// Chat completions (2 Chat), streamed or not, with tools or the deprecated functions.
import { chatChunks } from '../chat/chunks.ts';
import { chatLogprobs } from '../chat/logprobs.ts';
import { readCallableFunctions } from '../chat/offer.ts';
import { type ChatCompletion, type ChatRequest, checkChat } from '../chat/request.ts';
import { modelsOf } from '../model/catalogue.ts';
import { countPromptTokens, readContent, type Turn } from '../model/conversation.ts';
import { fingerprint, generate, type ModelReply } from '../model/generate.ts';
import type { Routes } from '../server/handler-request.ts';
import { checkContext } from '../server/limits.ts';
import { EventStreamResponse } from '../server/response.ts';
import { serves } from '../server/route.ts';
import { hashText } from '../state/ids.ts';
import { perService, type Service } from '../state/service.ts';

/** Route of chat completions. */
export const routes: Routes = (service) => [
  serves<ChatRequest>('createChatCompletion', ({ body }) => {
    const completion = complete(service, body);
    // The replies are complete before the stream begins, so usage is known.
    if (body.stream === true) return new EventStreamResponse(chatChunks(completion, body));
    const { id, created, model, fingerprint, replies, usage } = completion;
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: replies.map((reply, index) => ({
        index,
        message: completion.legacy ? legacyMessage(reply) : message(reply, completion.callIds[index] ?? []),
        logprobs: body.logprobs === true ? chatLogprobs(reply.tokens, body.top_logprobs ?? 0) : null,
        finish_reason: reply.finish,
      })),
      usage,
      system_fingerprint: fingerprint,
    };
  }),
];

/**
 * The replies to a request, `n` of them, with their usage.
 * @throws ApiError 400 for what the request schema cannot express; 404 for an unknown model.
 */
function complete(service: Service, body: ChatRequest): ChatCompletion {
  checkChat(body);
  const model = modelsOf(service).need(body.model, 'chat');
  const turns: Turn[] = body.messages.map(({ role, content }) => ({ role, ...readContent(content) }));
  const { tools, choice, legacy } = readCallableFunctions(body);
  const prompt = countPromptTokens(turns, tools);
  // Before anything is generated: prompt and requested tokens together must fit into the context.
  checkContext('messages', prompt, body.max_tokens ?? 0, model.context);
  // A null seed is the same as none.
  const variation = body.seed === null || body.seed === undefined ? 0 : hashText(String(body.seed));
  const replies = Array.from({ length: body.n ?? 1 }, (_, index) =>
    generate({
      turns,
      tools,
      toolChoice: choice,
      json: body.response_format?.type === 'json_object',
      stop: [body.stop ?? []].flat(),
      maxTokens: Math.min(body.max_tokens ?? Number.POSITIVE_INFINITY, model.context - prompt),
      ending: body.seed === null || body.seed === undefined ? '' : endingOf(service),
      keepsStop: service.takes('chat.stop.kept') === 'kept',
      variation: variation + index,
      bias: body.logit_bias ?? {},
    }),
  );
  const completion = replies.reduce((sum, reply) => sum + reply.completionTokens, 0);
  return {
    id: service.id('chatcmpl-'),
    created: service.now(),
    model: model.id,
    fingerprint: fingerprint(service.seed),
    replies: legacy ? replies.map(asFunctionCall) : replies,
    legacy,
    // Ids are taken from the service, so that they are unique over all replies.
    callIds: replies.map(({ calls }) => calls.map(() => service.id('call_'))),
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

/** How often a service has replied to requests with a seed. */
const replied = perService(() => ({ count: 0 }));

/** How a reply to a request with a seed ends: another way each time where replies vary. */
function endingOf(service: Service): string {
  if (service.takes('chat.seed.repeats') === 'the same') return '';
  replied(service).count += 1;
  return ` ${replied(service).count}`;
}

/** The deprecated form has one call at most, and its own finish reason. */
function asFunctionCall(reply: ModelReply): ModelReply {
  const finish = reply.finish === 'tool_calls' ? 'function_call' : reply.finish;
  return { ...reply, finish, calls: reply.calls.slice(0, 1) };
}

/** A reply as a message with text, or with `tool_calls`. */
function message(reply: ModelReply, callIds: readonly string[]) {
  if (reply.calls.length === 0) return textMessage(reply);
  const calls = reply.calls.map((call, n) => ({ id: callIds[n] ?? '', type: 'function', function: call }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

/** A reply as a message with text, or with the deprecated `function_call`. */
function legacyMessage(reply: ModelReply) {
  const [call] = reply.calls;
  return call === undefined ? textMessage(reply) : { role: 'assistant', content: null, function_call: call };
}

/** A message of the assistant with its whole text. */
const textMessage = ({ tokens }: ModelReply) => ({ role: 'assistant', content: tokens.join('') });
