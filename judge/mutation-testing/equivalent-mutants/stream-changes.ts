// Other representations of the same events, as the grammar of event streams in the HTML standard allows them.
import type { Exchange } from '../../../exchange/exchange.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../../exchange/http/event-stream.ts';

import { withBody } from '../../mutations/exchanges.ts';
import { frameWithData, withEvents } from '../../mutations/streams.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';

/** The same events in other bytes, and events that the specification does not mention. */
export const streamChanges: readonly EquivalentMutant[] = [
  // The three line endings of the standard; parsers that split at LF alone fail on CR.
  inEachExchange('CRLF in streams', (exchange) =>
    rewritten(exchange, (event) => lines(event).join('\r\n'), '\r\n\r\n'),
  ),
  inEachExchange('CR in streams', (exchange) =>
    rewritten(exchange, (event) => lines(event).join('\r'), '\r\r'),
  ),
  {
    ...inEachExchange('no space after the colon', (exchange) =>
      rewritten(exchange, (event) =>
        lines(event)
          .map((line) => line.replace(': ', ':'))
          .join('\n'),
      ),
    ),
    filed: 'dataelement/Clawith#106',
  },
  // Lines that begin with a colon keep connections open and carry no data.
  {
    ...inEachExchange('comments between events', (exchange) =>
      rewritten(exchange, (event) => `: a comment\n\n: another\n${lines(event).join('\n')}\n:`),
    ),
    filed: 'diegosouzapw/OmniRoute#7031',
  },
  inEachExchange('empty lines between events', (exchange) =>
    rewritten(exchange, (event) => lines(event).join('\n'), '\n\n\n\n'),
  ),
  // Fields take effect at the blank line, so their order within an event is free.
  inEachExchange('the name behind the data', (exchange) =>
    rewritten(exchange, (event) => lines(event).toReversed().join('\n')),
  ),
  // The standard ignores fields of other names; the last line has no colon, and is a field with an empty
  // value.
  inEachExchange('unknown stream fields', (exchange) =>
    rewritten(exchange, (event) => `unknown: field\n${lines(event).join('\n')}\nfor`),
  ),
  {
    ...inEachExchange('ids and retry times', (exchange) =>
      rewritten(exchange, (event) => `id: ${event.n}\nretry: 1000\n${lines(event).join('\n')}`),
    ),
    filed: 'theopenco/llmgateway#2334',
  },
  // One at the beginning of a stream is dropped by the UTF-8 decoder.
  inEachExchange('a byte order mark', (exchange) => {
    const content = exchange.response === null ? null : decodedContent(exchange.response)?.text;
    return isStream(exchange) && content ? withBody(exchange, `\uFEFF${content}`) : exchange;
  }),
  inEachExchange('the name message instead of none', (exchange) =>
    rewritten(exchange, (event) =>
      [...(event.event === '' ? ['event: message'] : []), ...lines(event)].join('\n'),
    ),
  ),
  // New kinds of events may be added at any time; a client skips names that it does not know.
  inEachExchange('unknown events', (exchange) =>
    withEvents(exchange, (frames) =>
      frames.flatMap((frame) => [frameWithData('keep.alive', '{"id":"ping"}'), frame]),
    ),
  ),
];

/** True if the response is an event stream. */
function isStream({ response }: Exchange): boolean {
  return response !== null && eventsOf(response) !== null;
}

/** The lines of an event, without its blank line. */
function lines({ event, data }: Pick<SseEvent, 'event' | 'data'>): string[] {
  return [...(event === '' ? [] : [`event: ${event}`]), ...data.split('\n').map((line) => `data: ${line}`)];
}

/** The stream with each event written by `write` and ended by `end`. */
function rewritten(exchange: Exchange, write: (event: SseEvent) => string, end = '\n\n'): Exchange {
  const stream = exchange.response === null ? null : eventsOf(exchange.response);
  if (stream === null) return exchange;
  return withBody(exchange, stream.events.map((event) => write(event) + end).join(''));
}
