import { doubleEvent, dropEvent, inEvent, lastOf, moveEvent, where } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, number } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { streams } from '../../judge/selectors/streams.ts';
import { requirement } from '../../judge/write.ts';
import { isChunk, isUsage, tellsUsage, USAGE, wantsUsage } from './chunks.ts';
import { type Reply, replies } from './replies.ts';

const CHAT = 'createChatCompletion';
const SPEC = '2 Chat completion chunk';

/** Streams that usage is asked of, and whose end is known. */
const asksUsage = only(streams(CHAT), ({ asked, ended }) => ended && wantsUsage(asked));

export const usageOnlyWhenAsked = requirement({
  id: 'chat.stream.usage-only-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'No chunk tells usage unless include_usage is true.',
  on: only(streams(CHAT), ({ asked }) => !wantsUsage(asked)),
  check: ({ chunks }) =>
    chunks
      .filter(tellsUsage)
      .map(({ at, data }) => ({ at: `${at} /usage`, expected: 'none', actual: get(data, 'usage') })),
  breaks: {
    'told unasked': inEvent(CHAT, lastOf(where(isChunk)), put('/usage', USAGE)),
    'told all along': inEvent(CHAT, where(isChunk), put('/usage', USAGE)),
  },
});

export const usageWhenAsked = requirement({
  id: 'chat.stream.usage-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The last chunk tells usage if include_usage is true.',
  on: asksUsage,
  check: ({ chunks }) => {
    const final = chunks.at(-1);
    return final !== undefined && tellsUsage(final)
      ? []
      : [{ at: `${final?.at ?? ''} /usage`, expected: 'usage', actual: get(final?.data, 'usage') }];
  },
  breaks: {
    'never told': dropEvent(CHAT, where(isUsage)),
    'told too early': moveEvent(CHAT, where(isUsage), 'front'),
  },
});

export const usageOnce = requirement({
  id: 'chat.stream.usage-once',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'Only the last chunk tells usage.',
  on: asksUsage,
  check: ({ chunks }) =>
    chunks
      .slice(0, -1)
      .filter(tellsUsage)
      .map(({ at, data }) => ({ at: `${at} /usage`, expected: 'null or none', actual: get(data, 'usage') })),
  breaks: {
    'told twice': doubleEvent(CHAT, where(isUsage)),
    'told all along': inEvent(CHAT, where(isChunk), put('/usage', USAGE)),
  },
});

export const usageAlone = requirement({
  id: 'chat.stream.usage-chunk-has-no-choices',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The chunk that tells usage is an extra one, without choices.',
  on: only(streams(CHAT), ({ asked, chunks }) => wantsUsage(asked) && chunks.some(tellsUsage)),
  check: ({ chunks }) =>
    chunks
      .filter((chunk) => tellsUsage(chunk) && list(chunk.data, 'choices').length > 0)
      .map(({ at, data }) => ({ at: `${at} /choices`, expected: '[]', actual: get(data, 'choices') })),
  breaks: {
    'with a choice': inEvent(
      CHAT,
      where(isUsage),
      put('/choices', [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]),
    ),
    'with the last text': inEvent(
      CHAT,
      where(isUsage),
      put('/choices', [{ index: 0, delta: { content: 'end' }, logprobs: null, finish_reason: null }]),
    ),
  },
});

export const usageWhole = requirement({
  id: 'chat.stream.usage-covers-all',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The usage of a stream counts no fewer tokens than its choices show.',
  on: only(replies(), ({ streamed, usage }) => streamed && number(usage, 'completion_tokens') !== undefined),
  check: (reply) => {
    const actual = number(reply.usage, 'completion_tokens') ?? 0;
    const least = tokensShown(reply);
    return actual >= least ? [] : [{ at: '/usage/completion_tokens', expected: `${least} or more`, actual }];
  },
  breaks: {
    'of none of them': inEvent(CHAT, where(isUsage), put('/usage/completion_tokens', 0)),
    'of the last chunk': inEvent(CHAT, where(isUsage), put('/usage/completion_tokens', 1)),
  },
});

/** A text has at least one token; log probabilities have an entry for each. */
function tokensShown({ choices }: Reply): number {
  return choices
    .map(({ tokens, content }) => tokens?.length ?? ((content ?? '') === '' ? 0 : 1))
    .reduce((sum, one) => sum + one, 0);
}
