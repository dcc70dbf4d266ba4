// Streams that end early, and events under other names.
import type { Exchange } from '../../../exchange/exchange.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import type { Call } from '../../../judge/trace/call.ts';
import { type StreamFrame, withEvents } from '../../../proof/mutations/exchanges.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { acceptedCalls, type HiddenAnswer, ofOperation } from './hidden-answer.ts';

/** The data that ends a stream. */
const END = '[DONE]';

/** Each stream cut before its first event of a name, or that event renamed wherever it comes; chunks have no names. */
export function* hiddenEvents(run: RecordedRun): Generator<HiddenAnswer> {
  for (const [operation, calls] of acceptedCalls(run)) {
    for (const name of eventNamesIn(calls)) {
      yield {
        kind: 'cut-stream',
        operation,
        name: `${operation} before ${name === '' ? 'the second chunk' : name}`,
        event: name,
        place: null,
        hide: ofOperation(operation, (exchange) => cutBefore(exchange, name)),
      };
      if (name === '' || name === END) continue;
      yield {
        kind: 'renamed-event',
        operation,
        name: `${operation} ${name}`,
        event: name,
        place: null,
        hide: ofOperation(operation, (exchange) => renamed(exchange, name)),
      };
    }
  }
}

/** The names of the events of these answers, each once. */
function eventNamesIn(calls: readonly Call[]): ReadonlySet<string> {
  const events = calls.flatMap(({ exchange: { response } }) =>
    response === null ? [] : (eventsOf(response)?.events ?? []),
  );
  return new Set(events.map(nameOf));
}

/** The name of an event; of the end of a stream its data, empty for chunks. */
function nameOf({ event, data }: Pick<StreamFrame, 'event' | 'data'>): string {
  return data === END ? END : event;
}

/**
 * The stream up to an event, where its transfer ends without an interruption. Of chunks, which have no names, the first is
 * left.
 */
function cutBefore(exchange: Exchange, name: string): Exchange {
  return withEvents(exchange, (frames) => {
    const at = name === '' ? 1 : frames.findIndex((frame) => nameOf(frame) === name);
    return at === -1 || at >= frames.length ? frames : frames.slice(0, at);
  });
}

/** An event under a name that no specification has. */
function renamed(exchange: Exchange, name: string): Exchange {
  return withEvents(exchange, (frames) =>
    frames.map((frame) =>
      nameOf(frame) === name ? { event: `${name}.other`, data: frame.data, bytes: null } : frame,
    ),
  );
}
