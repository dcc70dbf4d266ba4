import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Exchange, HeaderPairs } from '../exchange.ts';
import { Body, type FormDataPart, MAX_READ_BYTES } from '../http/body.ts';
import { contentCodings, decodeUpTo } from '../http/content.ts';
import { canonicalRequest, matchKey } from '../matching/request-key.ts';
import { makeMask } from '../redaction/alias.ts';
import { filterWhole } from '../redaction/byte-filter.ts';
import { headerClass } from '../redaction/header-fields.ts';
import type { BlobStore } from './blobs.ts';
import { bodyViews, decodeBody, encodeBody, inlineBytes } from './body-encoding.ts';
import { type CassetteError, damageError } from './cassette-error.ts';
import { boundaryFilter, headersWithBoundary, placeholderBoundary } from './form-boundary.ts';
import {
  type BodyLine,
  type CassetteLine,
  type EventOf,
  type JournalEvent,
  MAX_INLINE_BYTES,
  MAX_PIECES,
  type ResponseLine,
  type Stored,
  type StoredBody,
  type StoredHeaders,
  type StoredPart,
  type TimingLine,
} from './lines.ts';
import { sharedHeader } from './shared-headers.ts';
import { DEFAULT_STREAM_SYNTAX, decodeStream, encodeStream } from './stream-lines.ts';

export interface ExchangeLines {
  readonly request: EventOf<'request'>;
  /** Null for a request without a body. */
  readonly requestBody: EventOf<'request-body'> | null;
  /** Null if no status line arrived. */
  readonly response: EventOf<'response'> | null;
  /** Bytes of an event stream; null for other bodies, and for a stream that became a blob. */
  readonly stream: Buffer | null;
  /** Null for responses without a body, and for bodies that are in `stream`. */
  readonly responseBody: EventOf<'response-body'> | null;
  /** Offset and arrival time (milliseconds) of each non-empty piece of the response body, at most `MAX_PIECES`. */
  readonly arrived: readonly (readonly [offset: number, at: number])[];
  /** Time of the last piece of a stream, even if `arrived` lacks it, or the last one in `arrived`; 0 without pieces. */
  readonly last: number;
  /** Null while the exchange is in flight. */
  readonly end: EventOf<'end'> | null;
}

/** Limits above which a stream is stored as one body instead of event by event. */
const LIMITS = { bytes: MAX_READ_BYTES, pieces: MAX_PIECES };

const NONE: readonly never[] = [];

/**
 * The lines of one exchange, in bounded memory if there are `blobs`: a stream beyond the limits becomes a body in a
 * blob. Null if there is no request among them.
 */
export function collectLines(
  events: Iterable<JournalEvent>,
  blobs: Pick<BlobStore, 'begin'> | null,
  limits = LIMITS,
): ExchangeLines | null {
  const otherEvents: JournalEvent[] = [];
  const arrived: (readonly [offset: number, at: number])[] = [];
  const received = { pieces: 0, bytes: 0, last: 0 };
  let held: Buffer[] = [];
  let blob: ReturnType<BlobStore['begin']> | null = null;
  let size = 0;
  for (const event of events) {
    if (event.e !== 'piece') {
      otherEvents.push(event);
      continue;
    }
    if (event.size > 0 && arrived.length < limits.pieces) arrived.push([received.bytes, event.at]);
    received.pieces += 1;
    received.bytes += event.size;
    received.last = event.at;
    held.push(inlineBytes(event));
    if (received.bytes > limits.bytes || received.pieces > limits.pieces) blob ??= blobs?.begin() ?? null;
    if (blob === null) continue;
    for (const bytes of held) {
      blob.write(bytes);
      size += bytes.length;
    }
    held = [];
  }
  const find = <E extends JournalEvent['e']>(kind: E): EventOf<E> | null =>
    // as: the predicate compares the discriminator, which TypeScript does not follow through a type parameter
    (otherEvents.find((event) => event.e === kind) as EventOf<E> | undefined) ?? null;
  const request = find('request');
  if (request === null) return null;
  const longStream = blob && {
    i: request.i,
    e: 'response-body' as const,
    size,
    pieces: arrived,
    blob: blob.finish(),
  };
  const responseBody = longStream ?? find('response-body');
  const stream = received.pieces === 0 || longStream !== null ? null : Buffer.concat(held);
  return {
    request,
    requestBody: find('request-body'),
    response: find('response'),
    stream,
    responseBody,
    arrived: responseBody?.pieces ?? arrived,
    last: received.pieces > 0 ? received.last : (responseBody?.pieces.at(-1)?.[1] ?? 0),
    end: find('end'),
  };
}

/** Null unless the events include the request and the end. */
export function assembleExchange(
  events: readonly JournalEvent[],
  blobs: Pick<BlobStore, 'read'>,
): Exchange | null {
  const lines = collectLines(events, null);
  if (lines === null || lines.end === null) return null;
  const { request, requestBody, response, responseBody, stream, arrived, end } = lines;
  const { i, after, scenario, probe, method, target, headers, boundary } = request;
  const sentBody = requestBody === null ? Body.empty : storedBody(requestBody, requestBody.size, blobs);
  return {
    id: `e${i}`,
    after,
    ended: end.ended,
    scenario,
    probe,
    request: { method, target, headers, body: restoreBoundary(sentBody, boundary) },
    response: response && {
      status: response.status,
      reason: response.reason,
      headers: response.headers,
      body:
        responseBody === null ? Body.from(stream ?? '') : storedBody(responseBody, responseBody.size, blobs),
      trailers: end.trailers,
      pieces: arrived.map(([offset, at]) => ({ offset, at })),
    },
    end: { how: end.how, detail: end.detail, at: end.at },
  };
}

function restoreBoundary(body: Body, boundary: string | null): Body {
  const bytes = boundary === null ? null : body.bytes;
  if (boundary === null || bytes === null) return body;
  return Body.stored(null, body.size, () =>
    filterWhole(boundaryFilter(placeholderBoundary(boundary), boundary), bytes),
  );
}

function storedBody(stored: Stored, size: number, blobs: Pick<BlobStore, 'read'>): Body {
  if ('blob' in stored) {
    if (size > MAX_READ_BYTES) return Body.digest(stored.blob, size);
    return Body.stored(stored.blob, size, () => blobs.read(stored.blob, size));
  }
  if ('digest' in stored) return Body.digest(stored.digest, size, stored.parts?.map(restorePart) ?? null);
  return Body.from(inlineBytes(stored));
}

export function restorePart({ sha256, size, text, ...rest }: StoredPart): FormDataPart {
  return { ...rest, body: text === undefined ? Body.digest(sha256, size) : Body.from(text) };
}

export function storedPart({ body, ...rest }: FormDataPart): StoredPart {
  const { size, sha256, text } = body;
  return { ...rest, size, sha256, ...(text !== null && { text }) };
}

export function withContentLength(headers: HeaderPairs, size: number): HeaderPairs {
  return headers.map(([name, value]) => [
    name,
    name.toLowerCase() === 'content-length' ? String(size) : value,
  ]);
}

/**
 * Throws CassetteError if a blob is missing or the body of a form is damaged, another Error if the lines are not an
 * exchange. `locate` adds the place to the error of a body.
 */
export function parseExchange(
  lines: readonly CassetteLine[],
  timing: TimingLine | null,
  blobs: BlobStore,
  locate: Locate = (error) => error,
): Exchange {
  const request = lines[0];
  if (request?.e !== 'request') throw new Error('it does not begin with a request');
  const end = lines.at(-1);
  if (end?.e !== 'end') throw new Error('it has no end line');
  const responseIndex = lines.findIndex(({ e }) => e === 'response');
  const response = lines[responseIndex];
  const headers = mergeTimingHeaders(request.headers, timing?.request);
  const boundary = timing?.boundary ?? null;
  const { i, after, ended, method, target } = request;
  const requestLines = responseIndex === -1 ? lines : lines.slice(0, responseIndex);
  return {
    id: `e${i}`,
    after,
    ended,
    scenario: request.scenario ?? null,
    probe: request.probe ?? null,
    request: {
      method,
      target,
      headers:
        boundary === null ? headers : headersWithBoundary(headers, placeholderBoundary(boundary), boundary),
      body: restoreBoundary(parseBody(requestLines, 'request', blobs, locate), boundary),
    },
    response:
      response?.e !== 'response'
        ? null
        : {
            status: response.status,
            reason: response.reason,
            headers: mergeTimingHeaders(response.headers, timing?.response),
            body: parseBody(lines.slice(responseIndex), 'response', blobs, locate),
            trailers: mergeTimingHeaders(end.trailers ?? [], timing?.trailers),
            pieces: (timing?.pieces ?? []).map(([offset, at]) => ({ offset, at })),
          },
    end: { how: end.how, detail: end.detail ?? null, at: timing?.end ?? 0 },
  };
}

type Locate = (error: CassetteError) => CassetteError;

function parseBody(lines: readonly CassetteLine[], of: BodyLine['of'], blobs: BlobStore, locate: Locate) {
  const index = lines.findIndex((line) => line.e === 'body' && line.of === of);
  const line = lines[index];
  if (line?.e !== 'body') return Body.empty;
  const { size, sha256 } = line;
  if ('blob' in line) {
    const file = blobs.locate(sha256, size);
    if (size > MAX_READ_BYTES && file !== null) return Body.unread(sha256, size, file);
    return Body.stored(sha256, size, () => blobs.read(sha256, size), { ...(file !== null && { file }) });
  }
  if ('digest' in line) return Body.digest(sha256, size, line.parts?.map(restorePart) ?? null);
  const events = 'lines' in line ? lines.slice(index + 1, index + 1 + line.lines) : NONE;
  return Body.stored(sha256, size, bodyLoader(line, events, locate), bodyViews(line));
}

/**
 * Separate from `parseBody`, because a closure there would keep its variables, and so all lines of the exchange.
 * The loader throws CassetteError if the decoded bytes do not have the stated size.
 */
function bodyLoader(head: BodyLine, lines: readonly CassetteLine[], locate: Locate): () => Buffer {
  return () => {
    const bytes =
      'lines' in head ? decodeStream(lines, { ...DEFAULT_STREAM_SYNTAX, ...head }) : decodeBody(head);
    if (bytes?.length === head.size) return bytes;
    const found = `the ${head.of} body has ${bytes?.length ?? 0} bytes instead of ${head.size}`;
    throw locate(damageError('malformed', found));
  };
}

function mergeTimingHeaders(
  headers: StoredHeaders,
  values: readonly (readonly [number, string])[] | undefined,
): HeaderPairs {
  const valueAt = (index: number) => values?.find(([place]) => place === index)?.[1] ?? '';
  return headers.map(([name, value], index) => sharedHeader(name, value ?? valueAt(index)));
}

export type RecordedResponse = Pick<Exchange, 'id' | 'response' | 'end'>;

export function parseRecordedResponse(
  index: number,
  { status, reason, headers }: ResponseLine,
  body: Uint8Array,
  timing: TimingLine | null,
): RecordedResponse {
  return {
    id: `e${index + 1}`,
    response: {
      status,
      reason,
      headers: mergeTimingHeaders(headers, timing?.response),
      body: Body.from(body),
      trailers: NONE,
      pieces: timing?.pieces?.map(([offset, at]) => ({ offset, at })) ?? NONE,
    },
    end: { how: 'complete', detail: null, at: timing?.end ?? 0 },
  };
}

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
  const { size } = stored;
  const line = { e: 'body', of, size } as const;
  if ('digest' in stored) {
    const { digest, parts } = stored;
    return { ...line, sha256: digest, digest: true, ...(parts && { parts }) };
  }
  const reads = decodedForDisplay(storedBody(stored, size, blobs), headers);
  if ('blob' in stored) return { ...line, sha256: stored.blob, blob: true, ...reads };
  const bytes = inlineBytes(stored);
  return { ...line, sha256: hash('sha256', bytes), ...encodeBody(bytes), ...reads };
}

function decodedForDisplay(body: Body, headers: HeaderPairs): { reads?: StoredBody } {
  if (contentCodings(headers).length === 0) return {};
  const bytes = decodeUpTo({ headers, body }, MAX_INLINE_BYTES)?.bytes ?? null;
  return bytes === null || !isUtf8(bytes) ? {} : { reads: encodeBody(Buffer.from(bytes)) };
}

/** The beta header stays in the cassette whatever its name: requests are matched by it even without the timing file. */
const BETA_VALUE = /^assistants=v\d+$/;

/** Separates values for the timing file (`isVolatile`), so that recordings of equal exchanges are equal. */
function splitVolatile(headers: HeaderPairs) {
  const volatile: (readonly [index: number, value: string])[] = [];
  const stored = headers.map(([name, value], index): StoredHeaders[number] => {
    if (!isVolatile(name, value)) return [name, value];
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
