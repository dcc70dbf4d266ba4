import type { ModelReply } from '../model/generate.ts';
import { tokenize } from '../model/tokens.ts';
import type { ServerEvent } from '../server/response.ts';
import { streamCompletion } from '../stream-choices.ts';
import { chatLogprobs } from './logprobs.ts';
import type { ChatCompletion, ChatRequest } from './request.ts';

interface ChunkChoice {
  readonly index: number;
  readonly delta: unknown;
  readonly logprobs: unknown;
  readonly finish_reason: string | null;
}

/** The stream of a completion: a delta in each chunk. */
export function chatChunks(completion: ChatCompletion, body: ChatRequest): Generator<ServerEvent> {
  const { id, created, model, fingerprint, usage } = completion;
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: fingerprint };
  const choices = completion.replies.map((reply, index) => choiceParts(reply, index, completion, body));
  const asked = body.stream_options?.include_usage === true;
  return streamCompletion(common, choices, asked ? usage : null);
}

function* choiceParts(
  reply: ModelReply,
  index: number,
  { callIds, legacy }: ChatCompletion,
  body: ChatRequest,
): Generator<ChunkChoice> {
  const part = (
    delta: unknown,
    logprobs: unknown = null,
    finish_reason: string | null = null,
  ): ChunkChoice => ({
    index,
    delta,
    logprobs,
    finish_reason,
  });
  yield part({ role: 'assistant', content: reply.calls.length > 0 ? null : '' });
  for (const [n, token] of reply.tokens.entries()) {
    yield part(
      { content: token },
      body.logprobs === true ? chatLogprobs([token], body.top_logprobs ?? 0, n) : null,
    );
  }
  for (const [n, call] of reply.calls.entries()) {
    const told = (piece: object, head: object = {}) =>
      legacy ? { function_call: piece } : { tool_calls: [{ index: n, ...head, function: piece }] };
    const head = { id: callIds[index]?.[n] ?? '', type: 'function' };
    yield part(told({ name: call.name, arguments: '' }, head));
    for (const piece of tokenize(call.arguments)) yield part(told({ arguments: piece }));
  }
  yield part({}, null, reply.finish);
}
