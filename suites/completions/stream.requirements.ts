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
import { put } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { endedStreams, streams } from '../../judge/selectors/streams.ts';
import { requirement } from '../../judge/write.ts';
import { byChoice, DONE, finishes, hasChoices, isChunk } from '../chat/chunks.ts';
import { overSeveralLines, severalLines } from '../generate/data-lines.ts';

const TEXTS = 'createCompletion';
const SPEC = '2 Text completion';

/** Only of a stream that ended by itself the end is known. */
const ended = only(streams(TEXTS), (stream) => stream.ended);

export const finishEndsChoice = requirement({
  id: 'completions.stream.nothing-after-finish-reason',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'No text of a choice follows its finish_reason.',
  on: only(streams(TEXTS), ({ chunks }) => byChoice(chunks).some(({ parts }) => parts.length > 1)),
  check: ({ chunks }) =>
    byChoice(chunks).flatMap(({ index, parts }) => {
      const end = parts.findIndex(({ piece }) => text(piece, 'finish_reason') !== undefined);
      if (end === -1) return [];
      return parts
        .slice(end + 1)
        .filter(({ piece }) => (text(piece, 'text') ?? '') !== '')
        .map(({ at, piece }) => ({
          at: `${at}/text`,
          expected: `nothing, choice ${index} ended at event ${parts[end]?.n}`,
          actual: text(piece, 'text'),
        }));
    }),
  breaks: {
    'set on the first piece': inEvent(
      TEXTS,
      firstOf(where(hasChoices)),
      put('/choices/0/finish_reason', 'stop'),
    ),
    'the end comes first': moveEvent(TEXTS, where(finishes), 'front'),
  },
});

export const tellsFinish = requirement({
  id: 'completions.stream.tells-finish-reason',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A streamed choice tells its finish_reason.',
  on: only(ended, ({ chunks }) => byChoice(chunks).length > 0),
  check: ({ chunks }) =>
    byChoice(chunks)
      .filter(({ parts }) => parts.every(({ piece }) => text(piece, 'finish_reason') === undefined))
      .map(({ index, parts }) => ({
        at: `${parts.at(-1)?.at}/finish_reason`,
        expected: `a reason, no piece of choice ${index} follows`,
        actual: null,
      })),
  breaks: {
    'never set': inEvent(TEXTS, where(hasChoices), put('/choices/*/finish_reason', null)),
    'the last piece is lost': dropEvent(TEXTS, where(finishes)),
  },
});

export const doneLast = requirement({
  id: 'completions.stream.done-ends-stream',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Text completions',
  says: 'A stream of completions ends with the data [DONE].',
  on: endedStreams(TEXTS),
  check: ({ events }) => {
    const final = events.at(-1);
    return final?.text.trim() === DONE
      ? []
      : [{ at: final?.at ?? 'stream', expected: `${DONE} as the last data`, actual: final?.text }];
  },
  breaks: {
    'no [DONE]': dropEvent(TEXTS, last),
    'no event at all': inFrames(TEXTS, () => []),
    'a piece after it': moveEvent(TEXTS, lastOf(where(isChunk)), 'back'),
  },
});

export const nothingAfterDone = requirement({
  id: 'completions.stream.nothing-after-done',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Events',
  says: 'Nothing follows [DONE] in a stream of completions.',
  on: only(streams(TEXTS), ({ events }) => events.some((event) => event.text.trim() === DONE)),
  check: ({ events }) =>
    events
      .slice(events.findIndex((event) => event.text.trim() === DONE) + 1)
      .map((event) => ({ at: event.at, expected: 'no event', actual: event.text })),
  breaks: {
    '[DONE] twice': doubleEvent(TEXTS, last),
    'a piece follows': appendEvent(TEXTS, '', { id: 'cmpl-late', object: 'text_completion', choices: [] }),
  },
});

export const oneLine = requirement({
  id: 'completions.stream.one-data-line',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Events',
  says: 'Each piece of a streamed completion is one line of data.',
  on: streams(TEXTS),
  check: ({ chunks }) => severalLines(chunks),
  breaks: {
    'over several lines': overSeveralLines(TEXTS),
    'only the first of them': overSeveralLines(TEXTS, 'first'),
  },
});
