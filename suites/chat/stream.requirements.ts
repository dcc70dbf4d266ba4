import { refusedStreamRequirement } from '../generate/streams.ts';
import {
  dropEvent,
  duplicateEvent,
  inEvent,
  inEvents,
  removeValue,
  setInEvent,
} from '../vocabulary/changes.ts';
import { frameWithData } from '../vocabulary/exchanges.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { streams, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { StreamEvidence, StreamFrame } from '../vocabulary/types.ts';
import {
  byChoice,
  DONE,
  differing,
  toItsEnd,
  withPieces,
  withTwoChunks,
  withTwoPieces,
} from './selectors/chunks.ts';
import { CHAT_KIND, doneEndsStream, nothingAfterDone, oneDataLine } from './selectors/completions.ts';
import { endOfChoice, everyPiece, firstChunk, firstPiece, lastChunk, lastPiece } from './selectors/picks.ts';

const { stated, implied } = section('2 Chat completion chunk');
const CHAT = 'createChatCompletion';

/** Streams that ended without an interruption: only these show the last chunk. */
const ended = where(streams(CHAT), toItsEnd);

export const chatStreamSameId = stated('chat.stream.same-id', {
  says: 'Every chunk of a stream has the same id.',
  selector: where(streams(CHAT), withTwoChunks),
  check: ({ chunks }) => differing(chunks, 'id'),
  mutations: {
    'the last is another': setInEvent(CHAT, lastChunk, '/id', 'chatcmpl-other'),
    'each has its own': inEvents(CHAT, ownIds),
  },
});

export const chatStreamSameCreated = stated('chat.stream.same-created', {
  says: 'Every chunk of a stream has the same created.',
  selector: where(streams(CHAT), withTwoChunks),
  check: ({ chunks }) => differing(chunks, 'created'),
  mutations: {
    'the first is earlier': setInEvent(CHAT, firstChunk, '/created', (old) => Number(old) - 1),
    'the last is later': setInEvent(CHAT, lastChunk, '/created', (old) => Number(old) + 1),
  },
});

const withRole = that<StreamEvidence>('with a role in a delta', ({ chunks }) => rolesIn(chunks).length > 0);

export const chatStreamRoleIsAssistant = implied('chat.stream.role-is-assistant', {
  says: 'The role in a delta is assistant, as in every reply.',
  selector: where(streams(CHAT), withRole),
  check: ({ chunks }) =>
    rolesIn(chunks)
      .filter(({ actual }) => actual !== 'assistant')
      .map(({ at, actual }) => violation(at, 'assistant', actual)),
  mutations: {
    'the caller speaks': setInEvent(CHAT, firstPiece, '/choices/0/delta/role', 'user'),
    'the caller speaks at the end': setInEvent(CHAT, lastPiece, '/choices/0/delta/role', 'user'),
    'a tool speaks': setInEvent(CHAT, firstPiece, '/choices/0/delta/role', 'tool'),
  },
});

export const chatStreamFinishReasonEndsChoice = stated('chat.stream.finish-reason-ends-choice', {
  says: 'The finish_reason is null in every chunk of a choice but the last.',
  selector: where(streams(CHAT), withTwoPieces),
  check: ({ chunks }) =>
    byChoice(chunks).flatMap(({ index, parts }) =>
      parts
        .slice(0, -1)
        .filter(({ piece }) => (valueAtPath(piece, 'finish_reason') ?? null) !== null)
        .map(({ at, piece }) =>
          violation(
            `${at}/finish_reason`,
            `null, choice ${index} goes on until event ${parts.at(-1)?.n}`,
            valueAtPath(piece, 'finish_reason'),
          ),
        ),
    ),
  mutations: {
    'set on the first chunk': setInEvent(CHAT, firstPiece, '/choices/0/finish_reason', 'stop'),
    'the last chunk twice': duplicateEvent(CHAT, endOfChoice),
  },
});

export const chatStreamLastTellsFinishReason = implied('chat.stream.last-tells-finish-reason', {
  says: 'The last chunk of a choice contains its finish_reason.',
  selector: where(ended, withPieces),
  check: ({ chunks }) =>
    byChoice(chunks)
      .flatMap(({ parts }) => parts.slice(-1))
      .filter(({ piece }) => textAt(piece, 'finish_reason') === undefined)
      .map(({ at, piece }) =>
        violation(
          `${at}/finish_reason`,
          'a reason, this choice has no further chunk',
          valueAtPath(piece, 'finish_reason'),
        ),
      ),
  mutations: {
    'never set': setInEvent(CHAT, everyPiece, '/choices/*/finish_reason', null),
    'the last chunk is lost': dropEvent(CHAT, endOfChoice),
  },
});

export const chatStreamDoneEndsStream = doneEndsStream(CHAT_KIND);

export const chatStreamNothingAfterDone = nothingAfterDone(CHAT_KIND);

/** The role of a delta; null and an empty text count as missing. */
function rolesIn(chunks: Parameters<typeof byChoice>[0]) {
  return byChoice(chunks)
    .flatMap(({ parts }) => parts)
    .map(({ at, piece }) => ({ at: `${at}/delta/role`, actual: textAt(piece, 'delta', 'role') ?? '' }))
    .filter(({ actual }) => actual !== '');
}

export const chatStreamRoleTold = implied('chat.stream.role-told', {
  says: 'The deltas of each choice contain the role of the message.',
  selector: where(ended, withPieces),
  check: ({ chunks }) =>
    byChoice(chunks)
      .filter(({ parts }) => !parts.some(({ piece }) => textAt(piece, 'delta', 'role') === 'assistant'))
      .map(({ index, parts: [first] }) =>
        violation(
          `${first?.at ?? 'stream'} /delta/role`,
          `assistant, in a delta of choice ${index}`,
          first === undefined ? undefined : valueAtPath(first.piece, 'delta', 'role'),
        ),
      ),
  mutations: {
    'never present': inEvent(CHAT, everyPiece, removeValue('/choices/*/delta/role')),
    'always empty': setInEvent(CHAT, everyPiece, '/choices/*/delta/role', ''),
  },
});

export const chatStreamOneDataLine = oneDataLine(CHAT_KIND);

export const chatStreamRefusedByStatus = refusedStreamRequirement({
  id: 'chat.stream.refused-by-status',
  spec: '2 Chat completions',
  operations: ['createChatCompletion'],
});

/** The chunks of a stream with different ids. */
function ownIds(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  return frames.map((frame, i) =>
    frame.data === DONE
      ? frame
      : frameWithData('', frame.data.replace(/"id":"[^"]*"/, `"id":"chatcmpl-${i}"`)),
  );
}
