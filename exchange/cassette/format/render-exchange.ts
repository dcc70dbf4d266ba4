import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { HeaderPairs } from '../../exchange.ts';
import { Body } from '../../http/body.ts';
import { contentCodings, decodeContent } from '../../http/content.ts';
import { firstHeader } from '../../http/headers.ts';
import { canonicalRequest, LANE_HEADER, matchKey } from '../../matching/request-key.ts';
import { maskOf } from '../../redaction/alias.ts';
import { headerClass } from '../../redaction/headers.ts';
import {
  arrivals,
  type ExchangeLines,
  inlineBytes,
  storedBody,
  streamBytes,
} from '../journal/assemble-exchange.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { DEFAULT_STREAM_SYNTAX, encodeBody, encodeStream } from './body-encoding.ts';
import { headersWithBoundary, placeholderBoundary } from './boundary.ts';
import {
  type BodyLine,
  type CassetteLine,
  MAX_INLINE_BYTES,
  type Stored,
  type StoredBody,
  type StoredHeaders,
  type TimingLine,
} from './lines.ts';

/** An exchange in its final form: its lines, its line of the volatile lane, and the blobs it names. */
export interface RenderedExchange {
  /** In the order of the cassette. */
  readonly lines: readonly CassetteLine[];
  readonly timing: TimingLine;
  /** Names of the blobs. */
  readonly blobs: readonly string[];
}

/** Renders an exchange from its journal lines; `end` is its end line, or the one made for an exchange that was cut off. */
export function renderExchange(
  lines: ExchangeLines,
  end: NonNullable<ExchangeLines['end']>,
  blobs: Pick<BlobStore, 'read'>,
  betaHeader: string,
): RenderedExchange {
  const { request, requestBody, response } = lines;
  const headers = sentHeaders(request);
  const body = requestBody === null ? Body.empty : storedBody(requestBody, requestBody.size, blobs);
  const form = canonicalRequest({ ...request, headers, body }, [betaHeader]);
  const fields: Fields = {
    sent: split(headers),
    received: split(response?.headers ?? []),
    trailers: split(end.trailers),
  };
  const sentBody = requestBody === null ? NO_BODY : bodyLines('request', requestBody, headers, blobs);
  const answer = responseLines(lines, blobs);
  return {
    blobs: [...sentBody.blobs, ...answer.blobs],
    lines: [
      requestLine(request, matchKey(form, firstHeader(headers, LANE_HEADER)), end.ended, fields.sent.stored),
      ...sentBody.lines,
      ...(response === null ? [] : [responseLine(response, fields.received.stored)]),
      ...answer.lines,
      endLine(end, fields.trailers.stored),
    ],
    timing: timingLine(request, end, answer.pieces, fields),
  };
}

/** Header fields split into what the lines and what the timing lane keep. */
interface SplitFields {
  readonly stored: StoredHeaders;
  /** Position of a field in the list, and its value. */
  readonly lane: readonly (readonly [number, string])[];
}

/** The split fields of an exchange. */
interface Fields {
  readonly sent: SplitFields;
  readonly received: SplitFields;
  readonly trailers: SplitFields;
}

/** Request headers with the boundary of a form replaced by one that is the same in every recording. */
function sentHeaders({ headers, boundary }: ExchangeLines['request']): HeaderPairs {
  return boundary === null ? headers : headersWithBoundary(headers, boundary, placeholderBoundary(boundary));
}

/** The first line of an exchange. */
function requestLine(
  { i, after, scenario, probe, method, target }: ExchangeLines['request'],
  key: string,
  ended: number,
  headers: StoredHeaders,
): CassetteLine {
  return {
    e: 'request',
    i,
    after,
    ended,
    key,
    ...(scenario !== null && { scenario }),
    ...(probe !== null && { probe }),
    method,
    target,
    headers,
  };
}

/** The line of a response head. */
function responseLine(
  { status, reason }: NonNullable<ExchangeLines['response']>,
  headers: StoredHeaders,
): CassetteLine {
  return { e: 'response', status, reason, headers };
}

/** The last line of an exchange. */
function endLine({ how, detail }: NonNullable<ExchangeLines['end']>, trailers: StoredHeaders): CassetteLine {
  return { e: 'end', how, ...(detail !== null && { detail }), ...(trailers.length > 0 && { trailers }) };
}

/** The line of an exchange in the timing lane. */
function timingLine(
  { i, began, boundary }: ExchangeLines['request'],
  end: NonNullable<ExchangeLines['end']>,
  pieces: Pieces,
  { sent, received, trailers }: Fields,
): TimingLine {
  return {
    i,
    began,
    ...(sent.lane.length > 0 && { request: sent.lane }),
    ...(received.lane.length > 0 && { response: received.lane }),
    ...(trailers.lane.length > 0 && { trailers: trailers.lane }),
    ...(boundary !== null && { boundary }),
    ...(pieces.length > 0 && { pieces }),
    end: end.at,
  };
}

/** Offset and arrival time (in milliseconds) of each piece of a body. */
type Pieces = NonNullable<TimingLine['pieces']>;

/** The lines of a body, and the blobs that they name. */
interface BodyPart {
  readonly lines: readonly CassetteLine[];
  readonly blobs: readonly string[];
}

/** A message without a body. */
const NO_BODY: BodyPart = { lines: [], blobs: [] };

/** The lines of a response body: a stored body, or a stream as one line per event. */
function responseLines(
  gathered: ExchangeLines,
  blobs: Pick<BlobStore, 'read'>,
): BodyPart & { readonly pieces: Pieces } {
  const { response, responseBody, pieces } = gathered;
  if (responseBody !== null) {
    const body = bodyLines('response', responseBody, response?.headers ?? [], blobs);
    return { ...body, pieces: responseBody.pieces };
  }
  if (pieces.length === 0) return { ...NO_BODY, pieces: [] };
  const bytes = streamBytes(pieces);
  const { lines, syntax } = encodeStream(bytes);
  const head: BodyLine = {
    e: 'body',
    of: 'response',
    size: bytes.length,
    sha256: sha256(bytes),
    ...(syntax.colon !== DEFAULT_STREAM_SYNTAX.colon && { colon: syntax.colon }),
    ...(syntax.eol !== DEFAULT_STREAM_SYNTAX.eol && { eol: syntax.eol }),
    lines: lines.length,
  };
  const arrived = arrivals(pieces).map(({ offset, at }) => [offset, at] as const);
  return { lines: [head, ...lines], blobs: [], pieces: arrived };
}

/** The line of a body that was stored as a whole. */
function bodyLines(
  of: 'request' | 'response',
  stored: Stored & { readonly size: number },
  headers: HeaderPairs,
  blobs: Pick<BlobStore, 'read'>,
): BodyPart {
  const { size } = stored;
  const line = { e: 'body', of, size } as const;
  if ('digest' in stored) {
    const { digest, parts } = stored;
    return { lines: [{ ...line, sha256: digest, digest: true, ...(parts && { parts }) }], blobs: [] };
  }
  const reads = readable(storedBody(stored, size, blobs), headers);
  if ('blob' in stored) {
    const blob = { ...line, sha256: stored.blob, blob: true, ...reads } as const;
    return { lines: [blob], blobs: [stored.blob] };
  }
  const bytes = inlineBytes(stored);
  return { lines: [{ ...line, sha256: sha256(bytes), ...encodeBody(bytes), ...reads }], blobs: [] };
}

/** The decoded content of a compressed body, for human readers; left out where it is long or not text. */
function readable(body: Body, headers: HeaderPairs): { reads?: StoredBody } {
  if (contentCodings(headers).length === 0) return {};
  const bytes = decodeContent({ headers, body }, MAX_INLINE_BYTES)?.bytes ?? null;
  return bytes === null || !isUtf8(bytes) ? {} : { reads: encodeBody(Buffer.from(bytes)) };
}

/** Moves volatile and masked values to the timing lane, so that recordings of equal exchanges are equal. */
function split(headers: HeaderPairs): SplitFields {
  const lane: (readonly [number, string])[] = [];
  const stored = headers.map(([name, value], index) => {
    if (!isVolatile(name, value)) return [name, value] as const;
    lane.push([index, value]);
    return [name, null] as const;
  });
  return { stored, lane };
}

/** The value of the beta header, whatever its name: requests are matched by it, also where the lane is missing. */
const BETA = /^assistants=v\d+$/;

/** Whether a header value goes into the timing lane: all those that may differ in equal recordings. */
function isVolatile(name: string, value: string): boolean {
  const kind = headerClass(name.toLowerCase());
  if (kind === 'unknown') return !BETA.test(value);
  return (
    kind === 'volatile' ||
    kind === 'cookie' ||
    (kind === 'masked' && value === maskOf(Buffer.byteLength(value)))
  );
}

/** SHA-256 in hex. */
function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
