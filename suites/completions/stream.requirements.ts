import { textAt } from '../../judge/evidence/json.ts';
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
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { byChoice, DONE, finishes, hasChoices, isChunk, STREAM_ERROR } from '../chat/selectors/chunks.ts';
import { overSeveralLines, severalLines } from '../generate/files/data-lines.ts';

const { stated, implied } = section('2 Text completion');
const TEXTS = 'createCompletion';

/** Streams that ended without an interruption: only these show the last piece. */
const ended = where(streams(TEXTS), (stream) => stream.ended);

export const completionsStreamNothingAfterFinishReason = implied(
  'completions.stream.nothing-after-finish-reason',
  {
    says: 'No text of a choice follows its finish_reason.',
    selector: where(streams(TEXTS), ({ chunks }) => byChoice(chunks).some(({ parts }) => parts.length > 1)),
    check: ({ chunks }) =>
      byChoice(chunks).flatMap(({ index, parts }) => {
        const end = parts.findIndex(({ piece }) => textAt(piece, 'finish_reason') !== undefined);
        if (end === -1) return [];
        return parts
          .slice(end + 1)
          .filter(({ piece }) => (textAt(piece, 'text') ?? '') !== '')
          .map(({ at, piece }) => ({
            at: `${at}/text`,
            expected: `nothing, choice ${index} ended at event ${parts[end]?.n}`,
            actual: textAt(piece, 'text'),
          }));
      }),
    mutations: {
      'set on the first piece': inEvent(
        TEXTS,
        firstPicked(eventsWhere(hasChoices)),
        setValue('/choices/0/finish_reason', 'stop'),
      ),
      'the end comes first': moveEvent(TEXTS, eventsWhere(finishes), 'front'),
    },
  },
);

export const completionsStreamTellsFinishReason = implied('completions.stream.tells-finish-reason', {
  says: 'A streamed choice contains its finish_reason.',
  selector: where(ended, ({ chunks }) => byChoice(chunks).length > 0),
  check: ({ chunks }) =>
    byChoice(chunks)
      .filter(({ parts }) => parts.every(({ piece }) => textAt(piece, 'finish_reason') === undefined))
      .map(({ index, parts }) => ({
        at: `${parts.at(-1)?.at}/finish_reason`,
        expected: `a reason, choice ${index} has no further piece`,
        actual: null,
      })),
  mutations: {
    'never set': inEvent(TEXTS, eventsWhere(hasChoices), setValue('/choices/*/finish_reason', null)),
    'the last piece is lost': dropEvent(TEXTS, eventsWhere(finishes)),
  },
});

export const completionsStreamDoneEndsStream = stated('completions.stream.done-ends-stream', {
  spec: '2 Text completions',
  says: 'A stream of completions ends with the data [DONE].',
  selector: completeStreams(TEXTS),
  check: ({ events }) => {
    const final = events.at(-1);
    return final?.text.trim() === DONE
      ? []
      : [{ at: final?.at ?? 'stream', expected: `${DONE} as the last data`, actual: final?.text }];
  },
  mutations: {
    'no [DONE]': dropEvent(TEXTS, lastEvent),
    'no event at all': inEvents(TEXTS, () => []),
    'a piece after it': moveEvent(TEXTS, lastPicked(eventsWhere(isChunk)), 'back'),
    'an error instead of the rest': inEvents(TEXTS, (frames) => [
      ...frames.slice(0, 2),
      frameWithData('', STREAM_ERROR),
    ]),
  },
});

export const completionsStreamNothingAfterDone = stated('completions.stream.nothing-after-done', {
  spec: '2 Events',
  says: 'Nothing follows [DONE] in a stream of completions.',
  selector: where(streams(TEXTS), ({ events }) => events.some((event) => event.text.trim() === DONE)),
  check: ({ events }) =>
    events
      .slice(events.findIndex((event) => event.text.trim() === DONE) + 1)
      .map((event) => ({ at: event.at, expected: 'no event', actual: event.text })),
  mutations: {
    '[DONE] twice': duplicateEvent(TEXTS, lastEvent),
    'a piece follows': appendEvent(TEXTS, '', { id: 'cmpl-late', object: 'text_completion', choices: [] }),
  },
});

export const completionsStreamOneDataLine = stated('completions.stream.one-data-line', {
  spec: '2 Events',
  says: 'Each piece of a streamed completion is one line of data.',
  selector: streams(TEXTS),
  check: ({ chunks }) => severalLines(chunks),
  mutations: {
    'over several lines': overSeveralLines(TEXTS),
    'only the first of them': overSeveralLines(TEXTS, 'first'),
  },
});
