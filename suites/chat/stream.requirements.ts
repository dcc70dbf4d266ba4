import {
  appendEvent,
  doubleEvent,
  dropEvent,
  firstOf,
  inEvent,
  inFrames,
  last,
  lastOf,
  moveEvent,
  where,
} from '../../judge/edit/breaks.ts';
import { frameWith } from '../../judge/edit/streams.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { endedStreams, streams } from '../../judge/selectors/streams.ts';
import { requirement } from '../../judge/write.ts';
import { overSeveralLines, severalLines } from '../generate/data-lines.ts';
import { byChoice, DONE, differing, finishes, hasChoices, isChunk } from './chunks.ts';

const CHAT = 'createChatCompletion';
const SPEC = '2 Chat completion chunk';

/** Only of a stream that ended by itself the end is known. */
const ended = only(streams(CHAT), (stream) => stream.ended);

export const sameId = requirement({
  id: 'chat.stream.same-id',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'Every chunk of a stream has the same id.',
  on: only(streams(CHAT), ({ chunks }) => chunks.length > 1),
  check: ({ chunks }) => differing(chunks, 'id'),
  breaks: {
    'the last is another': inEvent(CHAT, lastOf(where(isChunk)), put('/id', 'chatcmpl-other')),
    'each has its own': inFrames(CHAT, (frames) =>
      frames.map((frame, i) =>
        frame.data === DONE
          ? frame
          : frameWith('', frame.data.replace(/"id":"[^"]*"/, `"id":"chatcmpl-${i}"`)),
      ),
    ),
  },
});

export const sameCreated = requirement({
  id: 'chat.stream.same-created',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'Every chunk of a stream has the same created.',
  on: only(streams(CHAT), ({ chunks }) => chunks.length > 1),
  check: ({ chunks }) => differing(chunks, 'created'),
  breaks: {
    'the first is earlier': inEvent(
      CHAT,
      firstOf(where(isChunk)),
      put('/created', (old) => Number(old) - 1),
    ),
    'the last is later': inEvent(
      CHAT,
      lastOf(where(isChunk)),
      put('/created', (old) => Number(old) + 1),
    ),
  },
});

export const role = requirement({
  id: 'chat.stream.role-is-assistant',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The role that a delta tells is assistant, as that of every reply.',
  on: only(streams(CHAT), ({ chunks }) => rolesIn(chunks).length > 0),
  check: ({ chunks }) =>
    rolesIn(chunks)
      .filter(({ actual }) => actual !== 'assistant')
      .map(({ at, actual }) => ({ at, expected: 'assistant', actual })),
  breaks: {
    'the caller speaks': inEvent(CHAT, firstOf(where(hasChoices)), put('/choices/0/delta/role', 'user')),
    'the caller speaks at the end': inEvent(
      CHAT,
      lastOf(where(hasChoices)),
      put('/choices/0/delta/role', 'user'),
    ),
    'a tool speaks': inEvent(CHAT, firstOf(where(hasChoices)), put('/choices/0/delta/role', 'tool')),
  },
});

export const finishEndsChoice = requirement({
  id: 'chat.stream.finish-reason-ends-choice',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The finish_reason is null in every chunk of a choice but the last.',
  on: only(streams(CHAT), ({ chunks }) => byChoice(chunks).some(({ parts }) => parts.length > 1)),
  check: ({ chunks }) =>
    byChoice(chunks).flatMap(({ index, parts }) =>
      parts
        .slice(0, -1)
        .filter(({ piece }) => (get(piece, 'finish_reason') ?? null) !== null)
        .map(({ at, piece }) => ({
          at: `${at}/finish_reason`,
          expected: `null, choice ${index} goes on until event ${parts.at(-1)?.n}`,
          actual: get(piece, 'finish_reason'),
        })),
    ),
  breaks: {
    'set on the first chunk': inEvent(
      CHAT,
      firstOf(where(hasChoices)),
      put('/choices/0/finish_reason', 'stop'),
    ),
    'the last chunk twice': doubleEvent(CHAT, where(finishes)),
  },
});

export const lastTellsFinish = requirement({
  id: 'chat.stream.last-tells-finish-reason',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The last chunk of a choice tells its finish_reason.',
  on: only(ended, ({ chunks }) => byChoice(chunks).length > 0),
  check: ({ chunks }) =>
    byChoice(chunks)
      .flatMap(({ parts }) => parts.slice(-1))
      .filter(({ piece }) => text(piece, 'finish_reason') === undefined)
      .map(({ at, piece }) => ({
        at: `${at}/finish_reason`,
        expected: 'a reason, no chunk of this choice follows',
        actual: get(piece, 'finish_reason'),
      })),
  breaks: {
    'never set': inEvent(CHAT, where(hasChoices), put('/choices/*/finish_reason', null)),
    'the last chunk is lost': dropEvent(CHAT, where(finishes)),
  },
});

export const doneLast = requirement({
  id: 'chat.stream.done-ends-stream',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Events',
  says: 'A stream ends with the data [DONE].',
  on: endedStreams(CHAT),
  check: ({ events }) => {
    const final = events.at(-1);
    return final?.text.trim() === DONE
      ? []
      : [{ at: final?.at ?? 'stream', expected: `${DONE} as the last data`, actual: final?.text }];
  },
  breaks: {
    'no [DONE]': dropEvent(CHAT, last),
    'no event at all': inFrames(CHAT, () => []),
    'a chunk after it': moveEvent(CHAT, lastOf(where(isChunk)), 'back'),
  },
});

export const nothingAfterDone = requirement({
  id: 'chat.stream.nothing-after-done',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Events',
  says: 'Nothing follows [DONE] in a stream.',
  on: only(streams(CHAT), ({ events }) => events.some((event) => event.text.trim() === DONE)),
  check: ({ events }) =>
    events
      .slice(events.findIndex((event) => event.text.trim() === DONE) + 1)
      .map((event) => ({ at: event.at, expected: 'no event', actual: event.text })),
  breaks: {
    '[DONE] twice': doubleEvent(CHAT, last),
    'a chunk follows': appendEvent(CHAT, '', {
      id: 'chatcmpl-late',
      object: 'chat.completion.chunk',
      choices: [],
    }),
  },
});

/** Null and an empty text tell none. */
function rolesIn(chunks: Parameters<typeof byChoice>[0]) {
  return byChoice(chunks)
    .flatMap(({ parts }) => parts)
    .map(({ at, piece }) => ({ at: `${at}/delta/role`, actual: text(piece, 'delta', 'role') ?? '' }))
    .filter(({ actual }) => actual !== '');
}

export const roleTold = requirement({
  id: 'chat.stream.role-told',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The deltas of each choice tell the role of the message that they make.',
  on: only(ended, ({ chunks }) => byChoice(chunks).length > 0),
  check: ({ chunks }) =>
    byChoice(chunks)
      .filter(({ parts }) => !parts.some(({ piece }) => text(piece, 'delta', 'role') === 'assistant'))
      .map(({ index, parts: [first] }) => ({
        at: `${first?.at ?? 'stream'} /delta/role`,
        expected: `assistant, in a delta of choice ${index}`,
        actual: first === undefined ? undefined : get(first.piece, 'delta', 'role'),
      })),
  breaks: {
    'never told': inEvent(CHAT, where(hasChoices), remove('/choices/*/delta/role')),
    'always empty': inEvent(CHAT, where(hasChoices), put('/choices/*/delta/role', '')),
  },
});

export const oneLine = requirement({
  id: 'chat.stream.one-data-line',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Events',
  says: 'Each chunk is one line of data.',
  on: streams(CHAT),
  check: ({ chunks }) => severalLines(chunks),
  breaks: {
    'over several lines': overSeveralLines(CHAT),
    'only the first of them': overSeveralLines(CHAT, 'first'),
  },
});
