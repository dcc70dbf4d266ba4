import { arrayAt, numberAt, valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { streams } from '../../judge/evidence/selectors/streams.ts';
import {
  dropEvent,
  duplicateEvent,
  eventsWhere,
  inEvent,
  lastPicked,
  moveEvent,
} from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { requirement } from '../../judge/requirements/define.ts';
import { CHUNK_USAGE, isChunk, isUsage, tellsUsage, wantsUsage } from './selectors/chunks.ts';
import { type ChatReply, chatReplies } from './selectors/replies.ts';

const CHAT = 'createChatCompletion';
const SPEC = '2 Chat completion chunk';

/** Streams that usage is asked of, and whose end is known. */
const asksUsage = where(streams(CHAT), ({ asked, ended }) => ended && wantsUsage(asked));

export const chatStreamUsageOnlyWhenAsked = requirement({
  id: 'chat.stream.usage-only-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'No chunk tells usage unless include_usage is true.',
  selector: where(streams(CHAT), ({ asked }) => !wantsUsage(asked)),
  check: ({ chunks }) =>
    chunks
      .filter(tellsUsage)
      .map(({ at, data }) => ({ at: `${at} /usage`, expected: 'none', actual: valueAtPath(data, 'usage') })),
  mutations: {
    'told unasked': inEvent(CHAT, lastPicked(eventsWhere(isChunk)), setValue('/usage', CHUNK_USAGE)),
    'told all along': inEvent(CHAT, eventsWhere(isChunk), setValue('/usage', CHUNK_USAGE)),
  },
});

export const chatStreamUsageWhenAsked = requirement({
  id: 'chat.stream.usage-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The last chunk tells usage if include_usage is true.',
  selector: asksUsage,
  check: ({ chunks }) => {
    const final = chunks.at(-1);
    return final !== undefined && tellsUsage(final)
      ? []
      : [{ at: `${final?.at ?? ''} /usage`, expected: 'usage', actual: valueAtPath(final?.data, 'usage') }];
  },
  mutations: {
    'never told': dropEvent(CHAT, eventsWhere(isUsage)),
    'told too early': moveEvent(CHAT, eventsWhere(isUsage), 'front'),
  },
});

export const chatStreamUsageOnce = requirement({
  id: 'chat.stream.usage-once',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'Only the last chunk tells usage.',
  selector: asksUsage,
  check: ({ chunks }) =>
    chunks
      .slice(0, -1)
      .filter(tellsUsage)
      .map(({ at, data }) => ({
        at: `${at} /usage`,
        expected: 'null or none',
        actual: valueAtPath(data, 'usage'),
      })),
  mutations: {
    'told twice': duplicateEvent(CHAT, eventsWhere(isUsage)),
    'told all along': inEvent(CHAT, eventsWhere(isChunk), setValue('/usage', CHUNK_USAGE)),
  },
});

export const chatStreamUsageChunkHasNoChoices = requirement({
  id: 'chat.stream.usage-chunk-has-no-choices',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The chunk that tells usage is an extra one, without choices.',
  selector: where(streams(CHAT), ({ asked, chunks }) => wantsUsage(asked) && chunks.some(tellsUsage)),
  check: ({ chunks }) =>
    chunks
      .filter((chunk) => tellsUsage(chunk) && arrayAt(chunk.data, 'choices').length > 0)
      .map(({ at, data }) => ({
        at: `${at} /choices`,
        expected: '[]',
        actual: valueAtPath(data, 'choices'),
      })),
  mutations: {
    'with a choice': inEvent(
      CHAT,
      eventsWhere(isUsage),
      setValue('/choices', [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]),
    ),
    'with the last text': inEvent(
      CHAT,
      eventsWhere(isUsage),
      setValue('/choices', [{ index: 0, delta: { content: 'end' }, logprobs: null, finish_reason: null }]),
    ),
  },
});

export const chatStreamUsageCoversAll = requirement({
  id: 'chat.stream.usage-covers-all',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The usage of a stream counts no fewer tokens than its choices show.',
  selector: where(
    chatReplies(),
    ({ streamed, usage }) => streamed && numberAt(usage, 'completion_tokens') !== undefined,
  ),
  check: (reply) => {
    const actual = numberAt(reply.usage, 'completion_tokens') ?? 0;
    const least = tokensShown(reply);
    return actual >= least ? [] : [{ at: '/usage/completion_tokens', expected: `${least} or more`, actual }];
  },
  mutations: {
    'of none of them': inEvent(CHAT, eventsWhere(isUsage), setValue('/usage/completion_tokens', 0)),
    'of the last chunk': inEvent(CHAT, eventsWhere(isUsage), setValue('/usage/completion_tokens', 1)),
  },
});

/** A text has at least one token; log probabilities have an entry for each. */
function tokensShown({ choices }: ChatReply): number {
  return choices
    .map(({ tokens, content }) => tokens?.length ?? ((content ?? '') === '' ? 0 : 1))
    .reduce((sum, one) => sum + one, 0);
}
