import { MIMEType } from 'node:util';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { Body, type Json, LARGEST_READ } from './body.ts';
import { allHeaders, firstHeader, type HeaderPairs } from './headers.ts';

export interface HttpMessage {
  /** In the order and case on the wire. */
  readonly headers: HeaderPairs;
  /** Still in its content coding, which `decodedContent` removes. */
  readonly body: Body;
}

export interface HttpRequest {
  /** As sent. */
  readonly method: string;
  /** Path and query as sent, from `/v1` on for calls of the specification. */
  readonly target: string;
  /** In the order and case in which they were sent. */
  readonly headers: HeaderPairs;
  /** Empty if the request has none. */
  readonly body: Body;
}

/** Whether fewer bytes of the body were sent than its header announces. */
export function isCutShort({ headers, body }: HttpRequest): boolean {
  const length = firstHeader(headers, 'content-length');
  return length !== null && body.size < Number(length);
}

export interface Piece {
  /** Byte offset of the piece in the body. */
  readonly offset: number;
  /** When the piece arrived, in milliseconds since the request began. */
  readonly at: number;
}

export interface HttpResponse {
  /** Status code. */
  readonly status: number;
  /** Reason phrase; often empty. */
  readonly reason: string;
  /** In the order and case in which they arrived. */
  readonly headers: HeaderPairs;
  /** As received, still in its content coding. */
  readonly body: Body;
  /** Trailer fields: header fields that follow a chunked body. */
  readonly trailers: HeaderPairs;
  /** When each piece of the body arrived; empty if unknown. */
  readonly pieces: readonly Piece[];
}

interface MediaType {
  /** Lower case, without parameters: `application/json`. */
  readonly essence: string;
  /** Lower case. */
  readonly charset: string | null;
  readonly boundary: string | null;
}

const contents = new WeakMap<HttpMessage, Body | null>();

/** Null if the content type is absent or invalid. */
export function mediaTypeOf(headers: HeaderPairs): MediaType | null {
  return parseMediaType(firstHeader(headers, 'content-type'));
}

/** Null if the value is absent or invalid. Results are cached. */
export function parseMediaType(value: string | null): MediaType | null {
  if (value === null) return null;
  const known = parsed.get(value);
  if (known !== undefined) return known;
  if (parsed.size >= MAX_CACHED_TYPES) parsed.clear();
  const type = readMediaType(value);
  parsed.set(value, type);
  return type;
}

/** Maximum number of cached values: only a few recur, and boundaries never do. */
const MAX_CACHED_TYPES = 500;
const parsed = new Map<string, MediaType | null>();

function readMediaType(value: string): MediaType | null {
  try {
    const { essence, params } = new MIMEType(value);
    return {
      essence,
      charset: params.get('charset')?.toLowerCase() ?? null,
      boundary: params.get('boundary'),
    };
  } catch {
    return null;
  }
}

const NONE: readonly string[] = [];

/** The content codings in the order in which they were applied, without `identity`. */
export function contentCodings(headers: HeaderPairs): readonly string[] {
  if (firstHeader(headers, 'content-encoding') === null) return NONE;
  return allHeaders(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * The content without its codings (gzip, deflate, br); of a truncated body, as much as can be decoded. Null if it was not kept, is
 * damaged or too large, or has an unknown coding.
 */
export function decodedContent(message: HttpMessage): Body | null {
  if (contentCodings(message.headers).length === 0) return message.body;
  const known = contents.get(message);
  if (known !== undefined) return known;
  const content = decodeContent(message, LARGEST_READ);
  contents.set(message, content);
  return content;
}

/** The JSON value of the content without its codings; undefined if it is not JSON. */
export function jsonContent(message: HttpMessage | null): Json | undefined {
  return message === null ? undefined : decodedContent(message)?.json?.value;
}

/** Like `decodedContent`, but uncached, and with a limit for the decoded size in bytes. */
export function decodeContent(message: HttpMessage, limit: number): Body | null {
  const applied = contentCodings(message.headers);
  if (applied.length === 0 || message.body.size === 0) return message.body;
  let bytes = message.body.bytes;
  for (const coding of applied.toReversed()) bytes = bytes && removeCoding(coding, bytes, limit);
  return bytes && Body.from(bytes);
}

function removeCoding(coding: string, bytes: Uint8Array, limit: number): Uint8Array | null {
  const zlib = { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes, zlib);
    if (coding === 'br') {
      const finishFlush = constants.BROTLI_OPERATION_FLUSH;
      return brotliDecompressSync(bytes, { maxOutputLength: limit, finishFlush });
    }
    // Some services send raw deflate under this name; the zlib header distinguishes the two.
    if (coding === 'deflate') return isZlib(bytes) ? inflateSync(bytes, zlib) : inflateRawSync(bytes, zlib);
  } catch {
    return null;
  }
  return null;
}

/** Checks the zlib header (RFC 1950, section 2.2). */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
