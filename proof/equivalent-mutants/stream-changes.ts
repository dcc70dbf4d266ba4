import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { frameWithData, withBody, withEvents } from '../mutations/exchanges.ts';
import { inEachExchange } from './json-changes.ts';

export const streamChanges: readonly EquivalentMutant[] = [
  // The standard has three line endings; parsers that only split at LF fail on CR.
  withOtherEvents('CRLF in streams', (event) => fieldLines(event).join('\r\n'), '\r\n\r\n'),
  withOtherEvents('CR in streams', (event) => fieldLines(event).join('\r'), '\r\r'),
  {
    ...withOtherEvents('no space after the colon', (event) =>
      fieldLines(event)
        .map((line) => line.replace(': ', ':'))
        .join('\n'),
    ),
    filed: 'dataelement/Clawith#106',
  },
  // Lines that begin with a colon keep connections open and carry no data.
  {
    ...withOtherEvents(
      'comments between events',
      (event) => `: a comment\n\n: another\n${fieldLines(event).join('\n')}\n:`,
    ),
    filed: 'diegosouzapw/OmniRoute#7031',
  },
  withOtherEvents('empty lines between events', (event) => fieldLines(event).join('\n'), '\n\n\n\n'),
  // Fields take effect at the blank line, so their order is free, except in named events, where it is stated.
  withOtherChunks('the name after the data', (event) => [...fieldLines(event), 'event: message'].join('\n')),
  // The standard ignores unknown fields. The last line has no colon: a field with an empty value.
  withOtherChunks('unknown stream fields', (event) => `unknown: field\n${fieldLines(event).join('\n')}\nfor`),
  {
    ...withOtherChunks(
      'ids and retry times',
      (event) => `id: ${event.n}\nretry: 1000\n${fieldLines(event).join('\n')}`,
    ),
    filed: 'theopenco/llmgateway#2334',
  },
  // UTF-8 decoders drop a byte order mark at the beginning of a stream.
  inEachExchange('a byte order mark', (exchange) => {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    const content = exchange.response === null ? null : decodedContent(exchange.response)?.text;
    return stream !== null && content ? withBody(exchange, `\uFEFF${content}`) : exchange;
  }),
  withOtherEvents('the name message instead of none', (event) =>
    [...(event.event === '' ? ['event: message'] : []), ...fieldLines(event)].join('\n'),
  ),
  // New kinds of events may be added at any time; a client skips names that it does not know.
  inEachExchange('unknown events', (exchange) =>
    withEvents(exchange, (frames) =>
      frames.flatMap((frame) => [frameWithData('keep.alive', '{"id":"ping"}'), frame]),
    ),
  ),
];

function fieldLines({ event, data }: Pick<SseEvent, 'event' | 'data'>): string[] {
  return [...(event === '' ? [] : [`event: ${event}`]), ...data.split('\n').map((line) => `data: ${line}`)];
}

function withOtherChunks(name: string, write: (event: SseEvent) => string): EquivalentMutant {
  return withOtherEvents(name, write, '\n\n', ({ event }) => event === '');
}

function withOtherEvents(
  name: string,
  write: (event: SseEvent) => string,
  end = '\n\n',
  isConcerned: (event: SseEvent) => boolean = () => true,
): EquivalentMutant {
  return inEachExchange(name, (exchange) => {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    if (stream === null || !stream.events.every(isConcerned)) return exchange;
    return withBody(exchange, stream.events.map((event) => write(event) + end).join(''));
  });
}
