import { isUtf8 } from 'node:buffer';
import type { Exchange, HeaderPairs, HttpResponse, Piece } from '../../exchange.ts';
import { Body } from '../../http/body.ts';
import type { FormDataPart } from '../../http/form-data.ts';
import { placeholderBoundary, withBoundary } from '../format/boundary.ts';
import type { Inline, JournalEvent, Stored, StoredPart } from '../format/lines.ts';
import type { BlobStore } from '../write/blob-store.ts';

/** Journal events of one kind. */
type Of<E extends JournalEvent['e']> = Extract<JournalEvent, { readonly e: E }>;

/** The lines that one exchange left in a journal, by kind. */
export interface ExchangeLines {
  readonly request: Of<'request'>;
  /** Null for a request without a body. */
  readonly requestBody: Of<'request-body'> | null;
  /** Null when no status line arrived. */
  readonly response: Of<'response'> | null;
  /** Pieces of an event stream, in order of arrival; empty for other bodies. */
  readonly pieces: readonly Of<'piece'>[];
  /** Null for event streams and responses without a body. */
  readonly responseBody: Of<'response-body'> | null;
  /** Null while the exchange has not ended. */
  readonly end: Of<'end'> | null;
}

/** Null when the lines do not begin with a request. */
export function collectLines(events: readonly JournalEvent[]): ExchangeLines | null {
  const find = <E extends JournalEvent['e']>(kind: E): Of<E> | null =>
    // as: the predicate compares the discriminator, which TypeScript does not follow through a type parameter
    (events.find((event) => event.e === kind) as Of<E> | undefined) ?? null;
  const request = find('request');
  return (
    request && {
      request,
      requestBody: find('request-body'),
      response: find('response'),
      pieces: events.filter((event) => event.e === 'piece'),
      responseBody: find('response-body'),
      end: find('end'),
    }
  );
}

/** The exchange that journal lines describe, as it will be read from the finished cassette. Null when they do not begin with a request, or the exchange has not ended. */
export function assembleExchange(
  events: readonly JournalEvent[],
  blobs: Pick<BlobStore, 'read'>,
): Exchange | null {
  const lines = collectLines(events);
  if (lines === null || lines.end === null) return null;
  const { request, requestBody, end } = lines;
  const { boundary } = request;
  const body = requestBody === null ? Body.empty : storedBody(requestBody, requestBody.size, blobs);
  return {
    id: `e${request.i}`,
    after: request.after,
    ended: end.ended,
    scenario: request.scenario,
    probe: request.probe,
    request: {
      method: request.method,
      target: request.target,
      headers: request.headers,
      body: boundary === null ? body : restoreBoundary(body, boundary),
    },
    response: assembleResponse(lines),
    end: { how: end.how, detail: end.detail, at: end.at },
  };

  function assembleResponse({ response, responseBody, pieces }: ExchangeLines): HttpResponse | null {
    if (response === null) return null;
    const { status, reason, headers } = response;
    const trailers = end?.trailers ?? [];
    const head = { status, reason, headers, trailers };
    if (responseBody !== null) {
      const stored = storedBody(responseBody, responseBody.size, blobs);
      return { ...head, body: stored, pieces: responseBody.pieces.map(([offset, at]) => ({ offset, at })) };
    }
    return { ...head, body: Body.of(streamBytes(pieces)), pieces: arrivals(pieces) };
  }
}

/** The bytes of an event stream from its pieces. */
export function streamBytes(pieces: readonly Of<'piece'>[]): Buffer {
  return Buffer.concat(pieces.map(inlineBytes));
}

/** Offset and arrival time (in milliseconds) of the pieces that have bytes. */
export function arrivals(pieces: readonly Of<'piece'>[]): Piece[] {
  let offset = 0;
  return pieces
    .filter((piece) => piece.size > 0)
    .map(({ at, size }) => {
      offset += size;
      return { offset: offset - size, at };
    });
}

/** The form with the boundary it had on the wire. */
export function restoreBoundary(body: Body, boundary: string): Body {
  const { bytes } = body;
  if (bytes === null) return body;
  return Body.stored(null, body.size, () => withBoundary(bytes, placeholderBoundary(boundary), boundary));
}

/** The bytes that a line contains as text or base64. */
export function inlineBytes(stored: Inline): Buffer {
  return 'text' in stored ? Buffer.from(stored.text) : Buffer.from(stored.base64, 'base64');
}

/** The body of `size` bytes that a line contains or names. Blobs are read when the body is first used. */
export function storedBody(stored: Stored, size: number, blobs: Pick<BlobStore, 'read'>): Body {
  if ('blob' in stored) return Body.stored(stored.blob, size, () => blobs.read(stored.blob, size));
  if ('digest' in stored) return Body.digest(stored.digest, size, stored.parts?.map(restorePart) ?? null);
  return Body.of(inlineBytes(stored));
}

/** A part of a form from its stored form. */
export function restorePart({ sha256, size, text, ...rest }: StoredPart): FormDataPart {
  return { ...rest, body: text === undefined ? Body.digest(sha256, size) : Body.of(text) };
}

/** The stored form of a part: its text where it is a small field, otherwise its digest. */
export function storedPart({ body, ...rest }: FormDataPart): StoredPart {
  const { size, sha256, text } = body;
  return { ...rest, size, sha256, ...(text !== null && { text }) };
}

/** Header fields with another content length. */
export function withContentLength(headers: HeaderPairs, size: number): HeaderPairs {
  return headers.map(([name, value]) => [
    name,
    name.toLowerCase() === 'content-length' ? String(size) : value,
  ]);
}

/** The form in which a line holds bytes. */
export function inlineBody(bytes: Uint8Array): Inline {
  return isUtf8(bytes)
    ? { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() }
    : { base64: Buffer.from(bytes).toString('base64') };
}
