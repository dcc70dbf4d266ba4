import { textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { completeStreams, streams } from '../../judge/evidence/selectors/streams.ts';
import {
  appendEvent,
  dropEvent,
  duplicateEvent,
  eventsWhere,
  firstPicked,
  inEvent,
  inEvents,
  lastEvent,
  lastPicked,
  moveEvent,
} from '../../judge/mutations/mutations.ts';
import { frameWithData } from '../../judge/mutations/streams.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { overSeveralLines, severalLines } from '../generate/files/data-lines.ts';
import { refusedStreamRequirement } from '../generate/relations/refused-streams.ts';
import {
  byChoice,
  DONE,
  differing,
  finishes,
  hasChoices,
  isChunk,
  STREAM_ERROR,
} from './selectors/chunks.ts';

const { stated, implied } = section('2 Chat completion chunk');
const CHAT = 'createChatCompletion';

/** Streams that ended without an interruption: only these show the last chunk. */
const ended = where(streams(CHAT), (stream) => stream.ended);

export const chatStreamSameId = stated('chat.stream.same-id', {
  says: 'Every chunk of a stream has the same id.',
  selector: where(streams(CHAT), ({ chunks }) => chunks.length > 1),
  check: ({ chunks }) => differing(chunks, 'id'),
  mutations: {
    'the last is another': inEvent(CHAT, lastPicked(eventsWhere(isChunk)), setValue('/id', 'chatcmpl-other')),
    'each has its own': inEvents(CHAT, (frames) =>
      frames.map((frame, i) =>
        frame.data === DONE
          ? frame
          : frameWithData('', frame.data.replace(/"id":"[^"]*"/, `"id":"chatcmpl-${i}"`)),
      ),
    ),
  },
});

export const chatStreamSameCreated = stated('chat.stream.same-created', {
  says: 'Every chunk of a stream has the same created.',
  selector: where(streams(CHAT), ({ chunks }) => chunks.length > 1),
  check: ({ chunks }) => differing(chunks, 'created'),
  mutations: {
    'the first is earlier': inEvent(
      CHAT,
      firstPicked(eventsWhere(isChunk)),
      setValue('/created', (old) => Number(old) - 1),
    ),
    'the last is later': inEvent(
      CHAT,
      lastPicked(eventsWhere(isChunk)),
      setValue('/created', (old) => Number(old) + 1),
    ),
  },
});

export const chatStreamRoleIsAssistant = implied('chat.stream.role-is-assistant', {
  says: 'The role in a delta is assistant, as in every reply.',
  selector: where(streams(CHAT), ({ chunks }) => rolesIn(chunks).length > 0),
  check: ({ chunks }) =>
    rolesIn(chunks)
      .filter(({ actual }) => actual !== 'assistant')
      .map(({ at, actual }) => ({ at, expected: 'assistant', actual })),
  mutations: {
    'the caller speaks': inEvent(
      CHAT,
      firstPicked(eventsWhere(hasChoices)),
      setValue('/choices/0/delta/role', 'user'),
    ),
    'the caller speaks at the end': inEvent(
      CHAT,
      lastPicked(eventsWhere(hasChoices)),
      setValue('/choices/0/delta/role', 'user'),
    ),
    'a tool speaks': inEvent(
      CHAT,
      firstPicked(eventsWhere(hasChoices)),
      setValue('/choices/0/delta/role', 'tool'),
    ),
  },
});

export const chatStreamFinishReasonEndsChoice = stated('chat.stream.finish-reason-ends-choice', {
  says: 'The finish_reason is null in every chunk of a choice but the last.',
  selector: where(streams(CHAT), ({ chunks }) => byChoice(chunks).some(({ parts }) => parts.length > 1)),
  check: ({ chunks }) =>
    byChoice(chunks).flatMap(({ index, parts }) =>
      parts
        .slice(0, -1)
        .filter(({ piece }) => (valueAtPath(piece, 'finish_reason') ?? null) !== null)
        .map(({ at, piece }) => ({
          at: `${at}/finish_reason`,
          expected: `null, choice ${index} goes on until event ${parts.at(-1)?.n}`,
          actual: valueAtPath(piece, 'finish_reason'),
        })),
    ),
  mutations: {
    'set on the first chunk': inEvent(
      CHAT,
      firstPicked(eventsWhere(hasChoices)),
      setValue('/choices/0/finish_reason', 'stop'),
    ),
    'the last chunk twice': duplicateEvent(CHAT, eventsWhere(finishes)),
  },
});

export const chatStreamLastTellsFinishReason = implied('chat.stream.last-tells-finish-reason', {
  says: 'The last chunk of a choice contains its finish_reason.',
  selector: where(ended, ({ chunks }) => byChoice(chunks).length > 0),
  check: ({ chunks }) =>
    byChoice(chunks)
      .flatMap(({ parts }) => parts.slice(-1))
      .filter(({ piece }) => textAt(piece, 'finish_reason') === undefined)
      .map(({ at, piece }) => ({
        at: `${at}/finish_reason`,
        expected: 'a reason, this choice has no further chunk',
        actual: valueAtPath(piece, 'finish_reason'),
      })),
  mutations: {
    'never set': inEvent(CHAT, eventsWhere(hasChoices), setValue('/choices/*/finish_reason', null)),
    'the last chunk is lost': dropEvent(CHAT, eventsWhere(finishes)),
  },
});

export const chatStreamDoneEndsStream = stated('chat.stream.done-ends-stream', {
  spec: '2 Events',
  says: 'A stream ends with the data [DONE].',
  selector: completeStreams(CHAT),
  check: ({ events }) => {
    const final = events.at(-1);
    return final?.text.trim() === DONE
      ? []
      : [{ at: final?.at ?? 'stream', expected: `${DONE} as the last data`, actual: final?.text }];
  },
  mutations: {
    'no [DONE]': dropEvent(CHAT, lastEvent),
    'no event at all': inEvents(CHAT, () => []),
    'a chunk after it': moveEvent(CHAT, lastPicked(eventsWhere(isChunk)), 'back'),
    'an error instead of the rest': inEvents(CHAT, (frames) => [
      ...frames.slice(0, 2),
      frameWithData('', STREAM_ERROR),
    ]),
  },
});

export const chatStreamNothingAfterDone = stated('chat.stream.nothing-after-done', {
  spec: '2 Events',
  says: 'Nothing follows [DONE] in a stream.',
  selector: where(streams(CHAT), ({ events }) => events.some((event) => event.text.trim() === DONE)),
  check: ({ events }) =>
    events
      .slice(events.findIndex((event) => event.text.trim() === DONE) + 1)
      .map((event) => ({ at: event.at, expected: 'no event', actual: event.text })),
  mutations: {
    '[DONE] twice': duplicateEvent(CHAT, lastEvent),
    'a chunk follows': appendEvent(CHAT, '', {
      id: 'chatcmpl-late',
      object: 'chat.completion.chunk',
      choices: [],
    }),
  },
});

/** The role of a delta; null and an empty text count as missing. */
function rolesIn(chunks: Parameters<typeof byChoice>[0]) {
  return byChoice(chunks)
    .flatMap(({ parts }) => parts)
    .map(({ at, piece }) => ({ at: `${at}/delta/role`, actual: textAt(piece, 'delta', 'role') ?? '' }))
    .filter(({ actual }) => actual !== '');
}

export const chatStreamRoleTold = implied('chat.stream.role-told', {
  says: 'The deltas of each choice contain the role of the message.',
  selector: where(ended, ({ chunks }) => byChoice(chunks).length > 0),
  check: ({ chunks }) =>
    byChoice(chunks)
      .filter(({ parts }) => !parts.some(({ piece }) => textAt(piece, 'delta', 'role') === 'assistant'))
      .map(({ index, parts: [first] }) => ({
        at: `${first?.at ?? 'stream'} /delta/role`,
        expected: `assistant, in a delta of choice ${index}`,
        actual: first === undefined ? undefined : valueAtPath(first.piece, 'delta', 'role'),
      })),
  mutations: {
    'never present': inEvent(CHAT, eventsWhere(hasChoices), removeValue('/choices/*/delta/role')),
    'always empty': inEvent(CHAT, eventsWhere(hasChoices), setValue('/choices/*/delta/role', '')),
  },
});

export const chatStreamOneDataLine = stated('chat.stream.one-data-line', {
  spec: '2 Events',
  says: 'Each chunk is one line of data.',
  selector: streams(CHAT),
  check: ({ chunks }) => severalLines(chunks),
  mutations: {
    'over several lines': overSeveralLines(CHAT),
    'only the first of them': overSeveralLines(CHAT, 'first'),
  },
});

export const chatStreamRefusedByStatus = refusedStreamRequirement({
  id: 'chat.stream.refused-by-status',
  spec: '2 Chat completions',
  operations: ['createChatCompletion'],
});
