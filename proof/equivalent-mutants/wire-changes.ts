import { createRequire } from 'node:module';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { isNote } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { withBody, withHeader, withResponse, withStatus } from '../mutations/exchanges.ts';
import { inEachExchange } from './json-changes.ts';

const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

interface ErrorBody {
  readonly name: string;
  readonly json?: Json;
  readonly text?: string;
  readonly type?: string;
  /** A public report that describes the form. */
  readonly filed?: string;
}

/** The specification does not define error bodies. */
const ERROR_BODIES = createRequire(import.meta.url)(
  '#proof/equivalent-mutants/error-bodies.json',
) as readonly ErrorBody[]; // as: proof/run.proof.test.ts applies each of them

export const wireChanges: readonly EquivalentMutant[] = [
  // RFC 9110, section 5.1: field names are case-insensitive.
  inEachExchange('header names in capitals', (exchange) =>
    withHeaders(exchange, (headers) => headers.map(([name, value]) => [name.toUpperCase(), value])),
  ),
  inEachExchange('a charset, and capitals, in every media type', (exchange) =>
    withHeaders(exchange, (headers) =>
      headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? `${capitaliseMediaType(value)}; charset=UTF-8` : value,
      ]),
    ),
  ),
  inEachExchange('unknown headers', (exchange) => withHeader(exchange, 'x-unknown-header', 'yes')),
  // RFC 9110, section 8.4: the server chooses the content coding; the content stays the same.
  inEachExchange('bodies in gzip', (exchange) => withCoding(exchange, 'gzip', gzipSync)),
  inEachExchange('bodies in brotli', (exchange) =>
    withCoding(exchange, 'br', (content) => brotliCompressSync(content, FAST_BROTLI)),
  ),
  inEachExchange('bodies in deflate', (exchange) => withCoding(exchange, 'deflate', deflateSync)),
  inEachExchange('no length in the headers', (exchange) =>
    withHeader(withHeader(exchange, 'content-length', null), 'transfer-encoding', 'chunked'),
  ),
  // RFC 9112, section 4: clients ignore the reason phrase.
  inEachExchange('another reason phrase', (exchange) =>
    withResponse(exchange, (response) => ({ ...response, reason: 'As You Like It' })),
  ),
  inEachExchange('201 instead of 200 for POST', (exchange) =>
    exchange.request.method === 'POST' && exchange.response?.status === 200
      ? withStatus(exchange, 201)
      : exchange,
  ),
  // The specification states no status for an error, so statuses of the same class are equivalent.
  { ...withOtherStatus(400, 422), filed: 'raullenchai/Rapid-MLX#461' },
  withOtherStatus(400, 409),
  withOtherStatus(401, 403),
  withOtherStatus(404, 410),
  withOtherStatus(404, 400),
  ...ERROR_BODIES.map(withErrorBody),
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
    name: 'everything concurrent, so that nothing precedes anything',
    apply: (items) => items.map((item) => (isNote(item) ? item : { ...item, after: 0 })),
    blinds: true,
  },
];

function withHeaders(exchange: Exchange, change: (headers: HeaderPairs) => HeaderPairs): Exchange {
  return withResponse(exchange, (response) => ({ ...response, headers: change(response.headers) }));
}

function capitaliseMediaType(value: string): string {
  const essence = (value.split(';', 1)[0] ?? '').trim();
  return essence.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function withOtherStatus(status: number, other: number): EquivalentMutant {
  return inEachExchange(`${other} instead of ${status}`, (exchange) =>
    exchange.response?.status === status ? withStatus(exchange, other) : exchange,
  );
}

function withErrorBody({ name, json, text, type, filed }: ErrorBody): EquivalentMutant {
  const mutant = inEachExchange(name, (exchange) => {
    const status = exchange.response?.status ?? 0;
    if (status < 400 || status > 499) return exchange;
    const changed = withBody(exchange, text ?? JSON.stringify(json));
    return type === undefined ? changed : withHeader(changed, 'content-type', type);
  });
  return filed === undefined ? mutant : { ...mutant, filed };
}

function withCoding(exchange: Exchange, coding: string, encode: (bytes: Uint8Array) => Uint8Array): Exchange {
  const content = exchange.response === null ? null : decodedContent(exchange.response);
  if (content?.bytes == null || content.size === 0) return exchange;
  return withHeader(withBody(exchange, encode(content.bytes)), 'content-encoding', coding);
}
