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
import type { BlobStore } from '../write/blobs.ts';
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
  readonly lines: readonly CassetteLine[];
  readonly timing: TimingLine;
  readonly blobs: readonly string[];
}

/** Renders a gathered exchange; `end` is its end, or what stands for it. */
export function renderExchange(
  lines: ExchangeLines,
  end: NonNullable<ExchangeLines['end']>,
  blobs: Pick<BlobStore, 'read'>,
  betaHeader: string,
): RenderedExchange {
  const { request, requestBody, response } = lines;
  const { boundary } = request;
  const headers =
    boundary === null
      ? request.headers
      : headersWithBoundary(request.headers, boundary, placeholderBoundary(boundary));
  const body = requestBody === null ? Body.empty : storedBody(requestBody, requestBody.size, blobs);
  const key = matchKey(
    canonicalRequest({ ...request, headers, body }, [betaHeader]),
    firstHeader(headers, LANE_HEADER),
  );
  const sent = split(headers);
  const received = split(response?.headers ?? []);
  const trailers = split(end.trailers);
  const requestLines = requestBody === null ? null : bodyLines('request', requestBody, headers, blobs);
  const answer = responseLines(lines, blobs);
  const { i, after, scenario, probe, method, target } = request;
  return {
    blobs: [...(requestLines?.blobs ?? []), ...answer.blobs],
    lines: [
      {
        e: 'request',
        i,
        after,
        ended: end.ended,
        key,
        ...(scenario !== null && { scenario }),
        ...(probe !== null && { probe }),
        method,
        target,
        headers: sent.stored,
      },
      ...(requestLines?.lines ?? []),
      ...(response === null
        ? []
        : [
            {
              e: 'response',
              status: response.status,
              reason: response.reason,
              headers: received.stored,
            } as const,
          ]),
      ...answer.lines,
      {
        e: 'end',
        how: end.how,
        ...(end.detail !== null && { detail: end.detail }),
        ...(trailers.stored.length > 0 && { trailers: trailers.stored }),
      },
    ],
    timing: {
      i,
      began: request.began,
      ...(sent.lane.length > 0 && { request: sent.lane }),
      ...(received.lane.length > 0 && { response: received.lane }),
      ...(trailers.lane.length > 0 && { trailers: trailers.lane }),
      ...(boundary !== null && { boundary }),
      ...(answer.pieces.length > 0 && { pieces: answer.pieces }),
      end: end.at,
    },
  };
}

interface Part {
  readonly lines: readonly CassetteLine[];
  readonly blobs: readonly string[];
}

function responseLines(
  gathered: ExchangeLines,
  blobs: Pick<BlobStore, 'read'>,
): Part & { pieces: TimingLine['pieces'] & {} } {
  const { response, responseBody, pieces } = gathered;
  if (responseBody !== null) {
    const body = bodyLines('response', responseBody, response?.headers ?? [], blobs);
    return { ...body, pieces: responseBody.pieces };
  }
  if (pieces.length === 0) return { lines: [], blobs: [], pieces: [] };
  const bytes = streamBytes(pieces);
  const { lines, syntax: spelling } = encodeStream(bytes);
  const head: BodyLine = {
    e: 'body',
    of: 'response',
    size: bytes.length,
    sha256: sha256(bytes),
    ...(spelling.colon !== DEFAULT_STREAM_SYNTAX.colon && { colon: spelling.colon }),
    ...(spelling.eol !== DEFAULT_STREAM_SYNTAX.eol && { eol: spelling.eol }),
    lines: lines.length,
  };
  const arrived = arrivals(pieces).map(({ offset, at }) => [offset, at] as const);
  return { lines: [head, ...lines], blobs: [], pieces: arrived };
}

function bodyLines(
  of: 'request' | 'response',
  stored: Stored & { readonly size: number },
  headers: HeaderPairs,
  blobs: Pick<BlobStore, 'read'>,
): Part {
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

/** What a compressed body reads, for people, as long as it is short. */
function readable(body: Body, headers: HeaderPairs): { reads?: StoredBody } {
  if (contentCodings(headers).length === 0) return {};
  const bytes = decodeContent({ headers, body }, MAX_INLINE_BYTES)?.bytes ?? null;
  return bytes === null || !isUtf8(bytes) ? {} : { reads: encodeBody(Buffer.from(bytes)) };
}

/** Leaves volatile and masked values to the lane. */
function split(headers: HeaderPairs): { stored: StoredHeaders; lane: (readonly [number, string])[] } {
  const lane: (readonly [number, string])[] = [];
  const stored = headers.map(([name, value], index) => {
    if (!isVolatile(name, value)) return [name, value] as const;
    lane.push([index, value]);
    return [name, null] as const;
  });
  return { stored, lane };
}

function isVolatile(name: string, value: string): boolean {
  const kind = headerClass(name.toLowerCase());
  return kind === 'volatile' || (kind === 'masked' && value === maskOf(Buffer.byteLength(value)));
}

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
