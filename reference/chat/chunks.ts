import type { ModelReply } from '../model/generate.ts';
import { tokenize } from '../model/tokens.ts';
import type { ServerEvent } from '../server/response.ts';
import { streamCompletion } from '../stream-choices.ts';
import { chatLogprobs } from './logprobs.ts';
import type { ChatCompletion, ChatRequest } from './request.ts';

/** The only choice of a chunk (2 Chat completion chunk). */
interface ChunkChoice {
  readonly index: number;
  readonly delta: unknown;
  readonly logprobs: unknown;
  readonly finish_reason: string | null;
}

/** The stream of a completion: one delta of one choice in each chunk, then usage if requested, then `[DONE]`. */
export function chatChunks(completion: ChatCompletion, body: ChatRequest): Generator<ServerEvent> {
  const { id, created, model, fingerprint, usage } = completion;
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: fingerprint };
  const choices = completion.replies.map((reply, index) => choiceParts(reply, index, completion, body));
  const wantsUsage = body.stream_options?.include_usage === true;
  return streamCompletion(common, choices, wantsUsage ? usage : null);
}

/**
 * The chunks of one choice: first the role, then one token each, or for each call its name and its arguments by token,
 * last an empty delta with the finish reason.
 */
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
  // The role comes once, in the first delta; clients concatenate the others.
  yield part({ role: 'assistant', content: reply.calls.length > 0 ? null : '' });
  for (const [n, token] of reply.tokens.entries()) {
    yield part(
      { content: token },
      body.logprobs === true ? chatLogprobs([token], body.top_logprobs ?? 0, n) : null,
    );
  }
  for (const [n, call] of reply.calls.entries()) {
    const callDelta = (piece: object, head: object = {}) =>
      legacy ? { function_call: piece } : { tool_calls: [{ index: n, ...head, function: piece }] };
    const head = { id: callIds[index]?.[n] ?? '', type: 'function' };
    yield part(callDelta({ name: call.name, arguments: '' }, head));
    for (const piece of tokenize(call.arguments)) yield part(callDelta({ arguments: piece }));
  }
  // Until here the finish reason was null, as in every chunk but the last of a choice.
  yield part({}, null, reply.finish);
}
