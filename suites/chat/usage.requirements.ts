import { dropEvent, duplicateEvent, moveEvent, setInEvent } from '../vocabulary/changes.ts';
import { arrayAt, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { streams, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { StreamEvidence } from '../vocabulary/types.ts';
import { askingUsage, CHUNK_USAGE, hasUsage, toItsEnd, wantsNoUsage } from './selectors/chunks.ts';
import { everyChunk, lastChunk, usageChunk } from './selectors/picks.ts';
import { type ChatReply, chatReplies, withUsedTokens } from './selectors/replies.ts';

const { stated } = section('2 Chat completion chunk');
const CHAT = 'createChatCompletion';

/** Streams with an uninterrupted end whose request sets `include_usage`. */
const asksUsage = where(streams(CHAT), askingUsage, toItsEnd);

const wantingNoUsage = that<StreamEvidence>('whose request has no include_usage, or false', ({ asked }) =>
  wantsNoUsage(asked),
);

export const chatStreamUsageOnlyWhenAsked = stated('chat.stream.usage-only-when-asked', {
  says: 'Chunks contain no usage unless include_usage is true.',
  selector: where(streams(CHAT), wantingNoUsage),
  check: ({ chunks }) =>
    chunks
      .filter(hasUsage)
      .map(({ at, data }) => violation(`${at} /usage`, 'no usage, or null', valueAtPath(data, 'usage'))),
  mutations: {
    'not requested': setInEvent(CHAT, lastChunk, '/usage', CHUNK_USAGE),
    'in every chunk, not requested': setInEvent(CHAT, everyChunk, '/usage', CHUNK_USAGE),
  },
});

export const chatStreamUsageWhenAsked = stated('chat.stream.usage-when-asked', {
  says: 'The last chunk contains usage if include_usage is true.',
  selector: asksUsage,
  check: ({ chunks }) => {
    const final = chunks.at(-1);
    return final !== undefined && hasUsage(final)
      ? []
      : [
          violation(
            `${final?.at ?? ''} /usage`,
            'an object, as requested',
            valueAtPath(final?.data, 'usage'),
          ),
        ];
  },
  mutations: {
    'never present': dropEvent(CHAT, usageChunk),
    'before the last chunk': moveEvent(CHAT, usageChunk, 'front'),
  },
});

export const chatStreamUsageOnce = stated('chat.stream.usage-once', {
  says: 'Only the last chunk contains usage.',
  selector: asksUsage,
  check: ({ chunks }) =>
    chunks
      .slice(0, -1)
      .filter(hasUsage)
      .map(({ at, data }) => violation(`${at} /usage`, 'null or missing', valueAtPath(data, 'usage'))),
  mutations: {
    'in two chunks': duplicateEvent(CHAT, usageChunk),
    'in every chunk': setInEvent(CHAT, everyChunk, '/usage', CHUNK_USAGE),
  },
});

const withUsage = that<StreamEvidence>('with usage in a chunk', ({ chunks }) => chunks.some(hasUsage));

export const chatStreamUsageChunkHasNoChoices = stated('chat.stream.usage-chunk-has-no-choices', {
  says: 'The chunk with usage is an additional one, without choices.',
  selector: where(streams(CHAT), askingUsage, withUsage),
  check: ({ chunks }) =>
    chunks
      .filter((chunk) => hasUsage(chunk) && arrayAt(chunk.data, 'choices').length > 0)
      .map(({ at, data }) => violation(`${at} /choices`, '[]', valueAtPath(data, 'choices'))),
  mutations: {
    'with a choice': setInEvent(CHAT, usageChunk, '/choices', [
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ]),
    'with the last text': setInEvent(CHAT, usageChunk, '/choices', [
      { index: 0, delta: { content: 'end' }, logprobs: null, finish_reason: null },
    ]),
  },
});

const asStream = that<ChatReply>('as a stream', ({ streamed }) => streamed);

export const chatStreamUsageCoversAll = stated('chat.stream.usage-covers-all', {
  says: 'The usage of a stream counts no fewer tokens than its choices show.',
  selector: where(chatReplies, asStream, withUsedTokens),
  check: (reply) => {
    const actual = numberAt(reply.usage, 'completion_tokens') ?? 0;
    const least = tokensShown(reply);
    return actual >= least ? [] : [violation('/usage/completion_tokens', `${least} or more`, actual)];
  },
  mutations: {
    'of none of them': setInEvent(CHAT, usageChunk, '/usage/completion_tokens', 0),
    'of the last chunk': setInEvent(CHAT, usageChunk, '/usage/completion_tokens', 1),
  },
});

/** A lower bound of tokens: one for a text, or the number of entries of the log probabilities. */
function tokensShown({ choices }: ChatReply): number {
  return choices
    .map(({ tokens, content }) => tokens?.length ?? ((content ?? '') === '' ? 0 : 1))
    .reduce((sum, one) => sum + one, 0);
}
