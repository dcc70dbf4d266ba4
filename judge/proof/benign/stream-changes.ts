import { decoded } from '../../../exchange/content.ts';
import { events } from '../../../exchange/events.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import type { SseEvent } from '../../../exchange/sse.ts';
import { withBody } from '../../edit/exchanges.ts';
import { frameWith, withEvents } from '../../edit/streams.ts';
import { type Benign, ofEach } from './benign.ts';

/** The same events, written otherwise; and events that nothing is stated about. */
export const streamChanges: readonly Benign[] = [
  ofEach('CRLF in streams', (exchange) =>
    rewritten(exchange, (event) => lines(event).join('\r\n'), '\r\n\r\n'),
  ),
  ofEach('CR in streams', (exchange) => rewritten(exchange, (event) => lines(event).join('\r'), '\r\r')),
  ofEach('no space after the colon', (exchange) =>
    rewritten(exchange, (event) =>
      lines(event)
        .map((line) => line.replace(': ', ':'))
        .join('\n'),
    ),
  ),
  ofEach('comments between events', (exchange) =>
    rewritten(exchange, (event) => `: a comment\n\n: another\n${lines(event).join('\n')}\n:`),
  ),
  ofEach('empty lines between events', (exchange) =>
    rewritten(exchange, (event) => lines(event).join('\n'), '\n\n\n\n'),
  ),
  ofEach('the name behind the data', (exchange) =>
    rewritten(exchange, (event) => lines(event).toReversed().join('\n')),
  ),
  ofEach('fields of streams that nobody knows', (exchange) =>
    rewritten(exchange, (event) => `nobody: asked\n${lines(event).join('\n')}\nfor`),
  ),
  ofEach('ids and retry times', (exchange) =>
    rewritten(exchange, (event) => `id: ${event.n}\nretry: 1000\n${lines(event).join('\n')}`),
  ),
  ofEach('a byte order mark', (exchange) => {
    const content = exchange.response === null ? null : decoded(exchange.response)?.text;
    return isStream(exchange) && content ? withBody(exchange, `\uFEFF${content}`) : exchange;
  }),
  ofEach('the name message instead of none', (exchange) =>
    rewritten(exchange, (event) =>
      [...(event.event === '' ? ['event: message'] : []), ...lines(event)].join('\n'),
    ),
  ),
  ofEach('unknown events', (exchange) =>
    withEvents(exchange, (frames) =>
      frames.flatMap((frame) => [frameWith('keep.alive', '{"id":"ping"}'), frame]),
    ),
  ),
];

function isStream({ response }: Exchange): boolean {
  return response !== null && events(response) !== null;
}

function lines({ event, data }: Pick<SseEvent, 'event' | 'data'>): string[] {
  return [...(event === '' ? [] : [`event: ${event}`]), ...data.split('\n').map((line) => `data: ${line}`)];
}

function rewritten(exchange: Exchange, write: (event: SseEvent) => string, end = '\n\n'): Exchange {
  const stream = exchange.response === null ? null : events(exchange.response);
  if (stream === null) return exchange;
  return withBody(exchange, stream.events.map((event) => write(event) + end).join(''));
}
