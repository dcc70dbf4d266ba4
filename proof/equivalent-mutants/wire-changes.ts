import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { isNote } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import {
  frameWithData,
  withBody,
  withEvents,
  withHeader,
  withResponse,
  withStatus,
} from '../mutations/exchanges.ts';
import { inEachExchange } from './equivalent-mutant.ts';

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

const DETAILS =
  '{"detail":[{"type":"int_type","loc":["body","max_tokens"],"msg":"Input should be a valid integer"}]}';
const BARE_ERROR =
  '{"object":"error","message":"Extra inputs are not permitted","type":"BadRequestError","param":null,"code":400}';

/** Other header case, codings, statuses, error bodies and packets, which the specification leaves open. */
export const wireChanges: readonly EquivalentMutant[] = [
  // RFC 9110, section 5.1: names of fields ignore case.
  inEachExchange('header names in capitals', (exchange) =>
    withHeaders(exchange, (headers) => headers.map(([name, value]) => [name.toUpperCase(), value])),
  ),
  inEachExchange('a charset, and capitals, in every media type', (exchange) =>
    withHeaders(exchange, (headers) =>
      headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? `${capitals(value)}; charset=UTF-8` : value,
      ]),
    ),
  ),
  inEachExchange('unknown headers', (exchange) => withHeader(exchange, 'x-unknown-header', 'yes')),
  // RFC 9110, section 8.4: the server chooses the content coding; the content stays the same.
  inEachExchange('bodies in gzip', (exchange) => coded(exchange, 'gzip', gzipSync)),
  inEachExchange('bodies in brotli', (exchange) =>
    coded(exchange, 'br', (content) => brotliCompressSync(content, FAST)),
  ),
  inEachExchange('bodies in deflate', (exchange) => coded(exchange, 'deflate', deflateSync)),
  inEachExchange('no length in the headers', (exchange) =>
    withHeader(withHeader(exchange, 'content-length', null), 'transfer-encoding', 'chunked'),
  ),
  // RFC 9112, section 4: clients ignore the reason phrase.
  inEachExchange('another reason phrase', (exchange) =>
    withResponse(exchange, (response) => ({ ...response, reason: 'As You Like It' })),
  ),
  inEachExchange('201 for what is made', (exchange) =>
    exchange.request.method === 'POST' && exchange.response?.status === 200
      ? withStatus(exchange, 201)
      : exchange,
  ),
  // The specification states no status for an error, so statuses of the same class are equivalent.
  filed('raullenchai/Rapid-MLX#461', withOtherStatus(400, 422)),
  withOtherStatus(400, 409),
  withOtherStatus(401, 403),
  withOtherStatus(404, 410),
  withOtherStatus(404, 400),
  // The specification does not define error bodies.
  withErrorBody('errors with an empty object', '{}'),
  withErrorBody('errors as a text in JSON', '"no"'),
  withErrorBody('errors as problem details', '{"title":"no","status":400}', 'application/problem+json'),
  withErrorBody('errors with nothing', ''),
  withErrorBody('errors as HTML', '<html>no</html>', 'text/html'),
  // The forms of a common framework: one text, or a list of the fields that it does not accept.
  filed(
    'vllm-project/aibrix#1651',
    withErrorBody('errors with a detail alone', '{"detail":"Method Not Allowed"}'),
  ),
  filed('getumbrel/llama-gpt#113', withErrorBody('errors with a list of details', DETAILS)),
  // The customary field with a text instead of an object.
  filed(
    'lmstudio-ai/lmstudio-bug-tracker#169',
    withErrorBody(
      'errors that are a text in the field error',
      `{"error":"'response_format.type' must be 'json_schema'"}`,
    ),
  ),
  // The customary fields without the object around them.
  filed('voideditor/void#128', withErrorBody('errors that are an object of the kind error', BARE_ERROR)),
  // The network decides where packets end.
  inEachExchange('everything in one packet', (exchange) =>
    withResponse(exchange, (response) => ({ ...response, pieces: [{ offset: 0, at: 0 }] })),
  ),
  inEachExchange('one byte at a time', (exchange) =>
    withResponse(exchange, (response) => ({
      ...response,
      pieces: Array.from({ length: Math.min(response.body.size, 10_000) }, (_, offset) => ({
        offset,
        at: offset,
      })),
    })),
  ),
  {
    name: 'everything at once, so that nothing is before anything',
    apply: (items) => items.map((item) => (isNote(item) ? item : { ...item, after: 0 })),
    blinds: true,
  },
];

function withHeaders(exchange: Exchange, change: (headers: HeaderPairs) => HeaderPairs): Exchange {
  return withResponse(exchange, (response) => ({ ...response, headers: change(response.headers) }));
}

function capitals(value: string): string {
  const essence = (value.split(';', 1)[0] ?? '').trim();
  return essence.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function withOtherStatus(status: number, other: number): EquivalentMutant {
  return inEachExchange(`${other} instead of ${status}`, (exchange) =>
    exchange.response?.status === status ? withStatus(exchange, other) : exchange,
  );
}

/** A form that a public report describes. */
function filed(report: string, mutant: EquivalentMutant): EquivalentMutant {
  return { ...mutant, filed: report };
}

function withErrorBody(name: string, body: string, type: string | null = null): EquivalentMutant {
  return inEachExchange(name, (exchange) => {
    const status = exchange.response?.status ?? 0;
    if (status < 400 || status > 499) return exchange;
    const changed = withBody(exchange, body);
    return type === null ? changed : withHeader(changed, 'content-type', type);
  });
}

function coded(exchange: Exchange, coding: string, code: (content: Uint8Array) => Uint8Array): Exchange {
  const content = exchange.response === null ? null : decodedContent(exchange.response);
  if (content?.bytes == null || content.size === 0) return exchange;
  return withHeader(withBody(exchange, code(content.bytes)), 'content-encoding', coding);
}

/**
 * Other representations of the same events (HTML standard, event streams), and events that the specification does
 * not mention.
 */
export const streamChanges: readonly EquivalentMutant[] = [
  // The standard has three line endings; parsers that only split at LF fail on CR.
  withOtherEvents('CRLF in streams', (event) => lines(event).join('\r\n'), '\r\n\r\n'),
  withOtherEvents('CR in streams', (event) => lines(event).join('\r'), '\r\r'),
  {
    ...withOtherEvents('no space after the colon', (event) =>
      lines(event)
        .map((line) => line.replace(': ', ':'))
        .join('\n'),
    ),
    filed: 'dataelement/Clawith#106',
  },
  // Lines that begin with a colon keep connections open and carry no data.
  {
    ...withOtherEvents(
      'comments between events',
      (event) => `: a comment\n\n: another\n${lines(event).join('\n')}\n:`,
    ),
    filed: 'diegosouzapw/OmniRoute#7031',
  },
  withOtherEvents('empty lines between events', (event) => lines(event).join('\n'), '\n\n\n\n'),
  // Fields take effect at the blank line, so their order within an event is free, except for events of a run, which are two lines.
  withOtherChunks('the name behind the data', (event) => lines(event).toReversed().join('\n')),
  // The standard ignores unknown fields. The last line has no colon: a field with an empty value.
  withOtherChunks('unknown stream fields', (event) => `unknown: field\n${lines(event).join('\n')}\nfor`),
  {
    ...withOtherChunks(
      'ids and retry times',
      (event) => `id: ${event.n}\nretry: 1000\n${lines(event).join('\n')}`,
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
    [...(event.event === '' ? ['event: message'] : []), ...lines(event)].join('\n'),
  ),
  // New kinds of events may be added at any time; a client skips names that it does not know.
  inEachExchange('unknown events', (exchange) =>
    withEvents(exchange, (frames) =>
      frames.flatMap((frame) => [frameWithData('keep.alive', '{"id":"ping"}'), frame]),
    ),
  ),
];

function lines({ event, data }: Pick<SseEvent, 'event' | 'data'>): string[] {
  return [...(event === '' ? [] : [`event: ${event}`]), ...data.split('\n').map((line) => `data: ${line}`)];
}

/** Like `withOtherEvents`, in streams whose events have no names. */
function withOtherChunks(name: string, write: (event: SseEvent) => string): EquivalentMutant {
  return withOtherEvents(name, write, '\n\n', ({ event }) => event === '');
}

function withOtherEvents(
  name: string,
  write: (event: SseEvent) => string,
  end = '\n\n',
  concerns: (event: SseEvent) => boolean = () => true,
): EquivalentMutant {
  return inEachExchange(name, (exchange) => {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    if (stream === null || !stream.events.every(concerns)) return exchange;
    return withBody(exchange, stream.events.map((event) => write(event) + end).join(''));
  });
}
