import { choiceOf } from '../rows/rows.ts';
import { firstEvent, inEvent, removeValue, setIn, setInEvent, setValue } from '../vocabulary/changes.ts';
import { echo } from '../vocabulary/choice-shapes.ts';
import {
  agreement,
  bearers,
  beyond,
  equalFields,
  equality,
  stateOf,
  usageSum,
} from '../vocabulary/choice-values.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, responses, streamedPairs, streams, where } from '../vocabulary/selectors.ts';
import type { Exchange } from '../vocabulary/types.ts';
import { byChoice } from './selectors/chunks.ts';
import { everyPiece } from './selectors/picks.ts';
import { chatReplies } from './selectors/replies.ts';

const CHAT = 'createChatCompletion';

export const chatModelEcho = choiceOf('chat.model.echo', {
  selector: responses(CHAT),
  taken: echo('model', 'as requested', 'another name'),
});

export const chatUsageSum = choiceOf('chat.usage.sum', {
  selector: chatReplies,
  taken: ({ usage }) => usageSum(usage),
});

const SEEN = ['stop', 'length', 'tool_calls'];

export const chatFinishReasonValues = choiceOf('chat.finish-reason.values', {
  selector: where(chatReplies, ({ choices }) => choices.some(({ finish }) => typeof finish === 'string')),
  taken: ({ choices }) =>
    beyond(
      choices.map(({ finish }) => finish),
      SEEN,
      'only those seen',
    ),
});

export const chatFinishReasonForcedCall = choiceOf('chat.finish-reason.forced-call', {
  selector: where(chatReplies, asks('tool_choice.function'), ({ streamed }) => !streamed),
  taken: ({ choices }) => choices[0]?.finish ?? null,
});

export const chatFinishReasonAtLimit = choiceOf('chat.finish-reason.at-limit', {
  selector: where(chatReplies, ({ asked, usage, choices }) => {
    const used = numberAt(usage, 'completion_tokens');
    return choices.length === 1 && used !== undefined && used === numberAt(asked, 'max_tokens');
  }),
  taken: ({ choices }) => choices[0]?.finish ?? null,
});

export const chatContentBesideCalls = choiceOf('chat.content.beside-calls', {
  selector: where(chatReplies, ({ choices }) => choices.some(({ calls }) => calls.length > 0)),
  taken: ({ choices }) => stateOf(choices.find(({ calls }) => calls.length > 0)?.content, 'text'),
});

export const chatStopKept = choiceOf('chat.stop.kept', {
  selector: where(chatReplies, ({ asked }) => stops(valueAtPath(asked, 'stop')).length > 0),
  taken: ({ asked, choices }) => {
    const [first] = choices;
    if (first?.finish !== 'stop' || typeof first.content !== 'string') return null;
    const kept = stops(valueAtPath(asked, 'stop')).some((stop) => first.content?.endsWith(stop));
    return kept ? 'kept' : 'not in the content';
  },
  examples: { kept: setIn(CHAT, '/choices/0/message/content', (old) => `${old}7`) },
});

export const chatLogprobsTokensJoined = choiceOf('chat.logprobs.tokens-joined', {
  selector: chatReplies,
  taken: ({ choices }) => {
    const reported = choices.find(({ tokens, content }) => tokens !== null && typeof content === 'string');
    const joined = reported?.tokens?.map(({ entry }) => textAt(entry, 'token')).join('');
    return agreement(joined, reported?.content, 'the content', 'another text');
  },
});

export const chatLogprobsBytes = choiceOf('chat.logprobs.bytes', {
  selector: chatReplies,
  taken: ({ choices }) => {
    const entries = choices.flatMap(({ tokens }) => tokens ?? []).map(({ entry }) => entry);
    const listed = [...entries, ...entries.flatMap((entry) => arrayAt(entry, 'top_logprobs'))];
    if (listed.length === 0) return null;
    return listed.some((one) => Array.isArray(valueAtPath(one, 'bytes'))) ? 'numbers' : 'null';
  },
});

export const chatLogprobsCandidateCount = choiceOf('chat.logprobs.candidate-count', {
  selector: where(chatReplies, ({ asked }) => (numberAt(asked, 'top_logprobs') ?? 0) > 0),
  taken: ({ asked, choices }) => {
    const entries = choices.flatMap(({ tokens }) => tokens ?? []);
    if (entries.length === 0) return null;
    const most = numberAt(asked, 'top_logprobs');
    return entries.every(({ entry }) => arrayAt(entry, 'top_logprobs').length === most)
      ? 'exactly'
      : 'fewer somewhere';
  },
});

export const chatStreamRole = choiceOf('chat.stream.role', {
  selector: streams(CHAT),
  taken: ({ chunks }) => {
    const [first] = byChoice(chunks);
    const reported = first?.parts.map(({ piece }) => textAt(piece, 'delta', 'role') !== undefined) ?? [];
    return reported.includes(true) ? bearers(reported) : null;
  },
  examples: { 'every one': setInEvent(CHAT, everyPiece, '/choices/*/delta/role', 'assistant') },
});

export const chatStreamUsageBeforeTheLast = choiceOf('chat.stream.usage-before-the-last', {
  selector: where(
    streams(CHAT),
    asks('stream_options.include_usage', true),
    ({ chunks }) => chunks.length > 1,
  ),
  taken: ({ chunks: [first] }) => (valueAtPath(first?.data, 'usage') === undefined ? 'absent' : 'null'),
  examples: { null: setInEvent(CHAT, everyPiece, '/usage', null) },
});

export const chatStreamToolCalls = choiceOf('chat.stream.tool-calls', {
  selector: where(streams(CHAT), asks('tool_choice.function')),
  taken: ({ chunks }) => {
    const pieces = byChoice(chunks).flatMap(({ parts }) => parts);
    const called = pieces.some(({ piece }) => arrayAt(piece, 'delta', 'tool_calls').length > 0);
    return called ? 'in tool_calls of the deltas' : 'not in the deltas';
  },
  examples: { 'not in the deltas': inEvent(CHAT, everyPiece, removeValue('/choices/*/delta/tool_calls')) },
});

export const chatStreamSameModel = choiceOf('chat.stream.same-model', {
  selector: where(streams(CHAT), ({ chunks }) => chunks.length > 1),
  taken: ({ chunks }) => equalFields(chunks, ['model', 'system_fingerprint'], 'the same', 'different ones'),
  examples: { 'different ones': setInEvent(CHAT, firstEvent, '/model', 'another-model') },
});

export const chatSeedRepeats = choiceOf('chat.seed.repeats', {
  selector: where(streamedPairs(CHAT), ({ asked }) => numberAt(asked, 'seed') !== undefined),
  taken: ({ plain }) =>
    equality(
      plain.map(({ answer }) => arrayAt(answer, 'choices').map((one) => textAt(one, 'message', 'content'))),
      'the same',
      'another one',
    ),
  examples: { 'another one': differently },
});

function stops(stop: ReturnType<typeof valueAtPath>): readonly string[] {
  return (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string');
}

/** Replaces the text of every reply by a different one. */
function differently(trace: readonly Exchange[]): readonly Exchange[] {
  return trace.map((exchange) =>
    withResponseJson(exchange, setValue('/choices/*/message/content', `this is ${exchange.id}`)),
  );
}
