import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeUpTo } from '../http/content.ts';
import { canonicalRequest, matchKey } from '../matching/request-key.ts';
import { makeMask } from '../redaction/alias.ts';
import { headerClass } from '../redaction/header-fields.ts';
import type { BlobStore } from './blobs.ts';
import { encodeBody, inlineBytes } from './body-encoding.ts';
import type { ExchangeLines } from './exchange-lines.ts';
import { headersWithBoundary, placeholderBoundary } from './form-boundary.ts';
import {
  type BodyLine,
  type CassetteLine,
  type EventOf,
  MAX_INLINE_BYTES,
  type Stored,
  type StoredBody,
  type StoredHeaders,
  type TimingLine,
} from './lines.ts';
import { storedBody } from './stored-body.ts';
import { DEFAULT_STREAM_SYNTAX, encodeStream } from './stream-lines.ts';

export function renderExchange(
  { request, requestBody, response, responseBody, stream, arrived }: ExchangeLines,
  end: EventOf<'end'>,
  blobs: Pick<BlobStore, 'read'>,
  betaHeader: string,
): { readonly lines: readonly CassetteLine[]; readonly timing: TimingLine } {
  const { i, after, began, scenario, probe, method, target, boundary } = request;
  const headers =
    boundary === null
      ? request.headers
      : headersWithBoundary(request.headers, boundary, placeholderBoundary(boundary));
  const body = requestBody === null ? Body.empty : storedBody(requestBody, requestBody.size, blobs);
  const canonical = canonicalRequest({ ...request, headers, body }, [betaHeader]);
  const sent = splitVolatile(headers);
  const received = splitVolatile(response?.headers ?? []);
  const trailers = splitVolatile(end.trailers);
  const lines: CassetteLine[] = [
    {
      e: 'request',
      i,
      after,
      ended: end.ended,
      key: matchKey(canonical),
      ...(scenario !== null && { scenario }),
      ...(probe !== null && { probe }),
      method,
      target,
      headers: sent.stored,
    },
  ];
  if (requestBody !== null) lines.push(bodyLine('request', requestBody, headers, blobs));
  if (response !== null) {
    const { status, reason } = response;
    lines.push({ e: 'response', status, reason, headers: received.stored });
  }
  if (responseBody === null) lines.push(...streamLines(stream));
  else lines.push(bodyLine('response', responseBody, response?.headers ?? [], blobs));
  lines.push({
    e: 'end',
    how: end.how,
    ...(end.detail !== null && { detail: end.detail }),
    ...(trailers.stored.length > 0 && { trailers: trailers.stored }),
  });
  return {
    lines,
    timing: {
      i,
      began,
      ...(sent.volatile.length > 0 && { request: sent.volatile }),
      ...(received.volatile.length > 0 && { response: received.volatile }),
      ...(trailers.volatile.length > 0 && { trailers: trailers.volatile }),
      ...(boundary !== null && { boundary }),
      ...(arrived.length > 0 && { pieces: arrived }),
      end: end.at,
    },
  };
}

function streamLines(bytes: Buffer | null): CassetteLine[] {
  if (bytes === null) return [];
  const { lines, syntax } = encodeStream(bytes);
  const head: BodyLine = {
    e: 'body',
    of: 'response',
    size: bytes.length,
    sha256: hash('sha256', bytes),
    ...(syntax.colon !== DEFAULT_STREAM_SYNTAX.colon && { colon: syntax.colon }),
    ...(syntax.eol !== DEFAULT_STREAM_SYNTAX.eol && { eol: syntax.eol }),
    lines: lines.length,
  };
  return [head, ...lines];
}

function bodyLine(
  of: 'request' | 'response',
  stored: Stored & { readonly size: number },
  headers: HeaderPairs,
  blobs: Pick<BlobStore, 'read'>,
): CassetteLine {
  const line = { e: 'body', of, size: stored.size } as const;
  if ('digest' in stored) {
    const { digest, parts } = stored;
    return { ...line, sha256: digest, digest: true, ...(parts && { parts }) };
  }
  const reads = decodedForDisplay(storedBody(stored, stored.size, blobs), headers);
  if ('blob' in stored) return { ...line, sha256: stored.blob, blob: true, ...reads };
  const bytes = inlineBytes(stored);
  return { ...line, sha256: hash('sha256', bytes), ...encodeBody(bytes), ...reads };
}

function decodedForDisplay(body: Body, headers: HeaderPairs): { reads?: StoredBody } {
  if (contentCodings(headers).length === 0) return {};
  const bytes = decodeUpTo({ headers, body }, MAX_INLINE_BYTES)?.bytes ?? null;
  return bytes === null || !isUtf8(bytes) ? {} : { reads: encodeBody(Buffer.from(bytes)) };
}

/** A value that stays in the cassette under any unknown name: replays without the timing file match requests by it. */
const BETA_VALUE = /^assistants=v\d+$/;

/** Separates values for the timing file (`isVolatile`), so that recordings of equal exchanges are equal. */
function splitVolatile(headers: HeaderPairs) {
  const volatile: (readonly [index: number, value: string])[] = [];
  const stored = headers.map(([name, value], index): StoredHeaders[number] => {
    // An empty value has nothing to separate, and null would say that the timing file has it.
    if (value === '' || !isVolatile(name, value)) return [name, value];
    volatile.push([index, value]);
    return [name, null];
  });
  return { stored, volatile };
}

function isVolatile(name: string, value: string): boolean {
  const kind = headerClass(name.toLowerCase());
  if (kind === 'unknown') return !BETA_VALUE.test(value);
  return (
    kind === 'volatile' ||
    kind === 'cookie' ||
    (kind === 'masked' && value === makeMask(Buffer.byteLength(value)))
  );
}
