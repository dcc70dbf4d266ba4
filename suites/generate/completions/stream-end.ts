// The end of a stream of completions: any number of pieces, each in one line of data, then [DONE], then nothing.

import {
  appendEvent,
  dropEvent,
  duplicateEvent,
  inEvents,
  lastEvent,
  moveEvent,
} from '../../vocabulary/changes.ts';
import { frameWithData } from '../../vocabulary/exchanges.ts';
import { completeStreams, streams, that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { StreamEvent } from '../../vocabulary/types.ts';
import { overSeveralLines, severalLines } from '../files/data-lines.ts';
import type { CompletionKind } from './kind.ts';
import { DONE, lastChunk, STREAM_ERROR } from './streams.ts';

/** The section of the events; the end of a stream of texts is stated with its operation. */
const { stated } = section('2 Events');

/** The requirement that the last data of a stream are [DONE]. */
export function doneEndsStream({ area, operation, stream, piece, spec }: CompletionKind) {
  return stated(`${area}.stream.done-ends-stream`, {
    spec: spec.end,
    says: `${capital(stream)} ends with the data [DONE].`,
    selector: completeStreams(operation),
    check: ({ events }) => {
      // A stream without any event lacks its end, too.
      const final = events.at(-1);
      return final !== undefined && isDone(final)
        ? []
        : [violation(final?.at ?? 'stream', `${DONE} as the last data`, final?.text)];
    },
    mutations: {
      'no [DONE]': dropEvent(operation, lastEvent),
      'no event at all': inEvents(operation, () => []),
      [`a ${piece} after it`]: moveEvent(operation, lastChunk, 'back'),
      'an error instead of the rest': inEvents(operation, (frames) => [
        ...frames.slice(0, 2),
        frameWithData('', STREAM_ERROR),
      ]),
    },
  });
}

/** The requirement that [DONE] is followed by no event. */
export function nothingAfterDone({ area, operation, stream, piece, object }: CompletionKind) {
  return stated(`${area}.stream.nothing-after-done`, {
    says: `Nothing follows [DONE] in ${stream}.`,
    selector: where(
      streams(operation),
      that(`with ${DONE}`, ({ events }) => events.some(isDone)),
    ),
    check: ({ events }) =>
      events.slice(events.findIndex(isDone) + 1).map(({ at, text }) => violation(at, 'no event', text)),
    mutations: {
      '[DONE] twice': duplicateEvent(operation, lastEvent),
      [`a ${piece} follows`]: appendEvent(operation, '', {
        id: area === 'chat' ? 'chatcmpl-late' : 'cmpl-late',
        object,
        choices: [],
      }),
    },
  });
}

/** The requirement that the data of each piece are one line. */
export function oneDataLine({ area, operation, piece }: CompletionKind) {
  return stated(`${area}.stream.one-data-line`, {
    // The word of chat alone is clear without its object.
    says: `Each ${area === 'chat' ? piece : `${piece} of a streamed completion`} is one line of data.`,
    selector: streams(operation),
    check: ({ chunks }) => severalLines(chunks),
    mutations: {
      'over several lines': overSeveralLines(operation),
      'only the first of them': overSeveralLines(operation, 'first'),
    },
  });
}

/** White space around the word does not count. */
function isDone({ text }: StreamEvent): boolean {
  return text.trim() === DONE;
}

/** For the beginning of a sentence. */
function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
