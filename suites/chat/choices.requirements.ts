import { choiceOf } from '../rows/rows.ts';
import { setValue } from '../vocabulary/changes.ts';
import { agreement, bearers, beyond, equalFields, equality, stateOf } from '../vocabulary/choice-values.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Exchange, StreamEvidence, StreamedPair } from '../vocabulary/types.ts';
import { byChoice } from './chunks.ts';
import { chatReplies } from './replies.ts';

const SEEN = ['stop', 'length', 'tool_calls'];

export const chatFinishReasonValues = choiceOf('chat.finish-reason.values', {
  selector: chatReplies,
  taken: ({ choices }) =>
    beyond(
      choices.map(({ finish }) => finish),
      SEEN,
      'only those seen',
    ),
});

export const chatContentBesideCalls = choiceOf('chat.content.beside-calls', {
  selector: chatReplies,
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
});

export const chatLogprobsTokensJoined = choiceOf('chat.logprobs.tokens-joined', {
  selector: chatReplies,
  taken: ({ choices }) => {
    const reported = choices.find(({ tokens, content }) => tokens !== null && typeof content === 'string');
    const joined = reported?.tokens?.map(({ entry }) => textAt(entry, 'token')).join('');
    return agreement(joined, reported?.content, 'the content', 'another text');
  },
});

export const chatLogprobsCandidateCount = choiceOf('chat.logprobs.candidate-count', {
  selector: chatReplies,
  taken: ({ asked, choices }) => {
    const entries = choices.flatMap(({ tokens }) => tokens ?? []);
    if (entries.length === 0) return null;
    const most = numberAt(asked, 'top_logprobs');
    return entries.every(({ entry }) => arrayAt(entry, 'top_logprobs').length === most)
      ? 'exactly'
      : 'fewer somewhere';
  },
});

export const chatStreamRole = choiceOf<StreamEvidence>('chat.stream.role', {
  taken: ({ chunks }) => {
    const [first] = byChoice(chunks);
    const reported = first?.parts.map(({ piece }) => textAt(piece, 'delta', 'role') !== undefined) ?? [];
    return reported.includes(true) ? bearers(reported) : null;
  },
});

export const chatStreamSameModel = choiceOf<StreamEvidence>('chat.stream.same-model', {
  taken: ({ chunks }) => equalFields(chunks, ['model', 'system_fingerprint'], 'the same', 'different ones'),
});

export const chatSeedRepeats = choiceOf<StreamedPair>('chat.seed.repeats', {
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
