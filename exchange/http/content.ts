import { MIMEType } from 'node:util';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { Body } from './body.ts';
import { allHeaders, firstHeader, type HeaderPairs } from './headers.ts';

/** The parts that a request and a response share: header fields and a body. */
export interface HttpMessage {
  readonly headers: HeaderPairs;
  readonly body: Body;
}

export interface HttpRequest {
  readonly method: string;
  /** Path and query as sent, beginning with the specification's `/v1` where an operation is called. */
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body: Body;
}

/** A piece of the body as it arrived: byte offset where it began, milliseconds since the request began. */
export interface Piece {
  readonly offset: number;
  readonly at: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
  readonly body: Body;
  readonly trailers: HeaderPairs;
  readonly pieces: readonly Piece[];
}

/** A media type (RFC 9110, section 8.3.1). */
export interface MediaType {
  /** `application/json`, in lower case, without parameters. */
  readonly essence: string;
  /** In lower case; null without one. */
  readonly charset: string | null;
  /** Boundary of a multipart type; null without one. */
  readonly boundary: string | null;
}

/** A compressed body may not unfold beyond this many bytes. */
const MAX_DECODED_BYTES = 256 * 1024 * 1024;

const contents = new WeakMap<HttpMessage, Body | null>();

/** The content type of a message, or null when it is absent or cannot be read. */
export function mediaTypeOf(headers: HeaderPairs): MediaType | null {
  return parseMediaType(firstHeader(headers, 'content-type'));
}

/** Parses a media type; null where the value is absent or not valid. Results are cached. */
export function parseMediaType(value: string | null): MediaType | null {
  if (value === null) return null;
  const known = parsed.get(value);
  if (known !== undefined) return known;
  if (parsed.size >= MOST_PARSED) parsed.clear();
  const type = readMediaType(value);
  parsed.set(value, type);
  return type;
}

/** Few values come again and again; boundaries do not. */
const MOST_PARSED = 500;
const parsed = new Map<string, MediaType | null>();

/** The same without a cache. */
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

/** Result for a message without content codings. */
const NONE: readonly string[] = [];

/** The content codings of a message in the order they were applied; `identity` is left out. */
export function contentCodings(headers: HeaderPairs): readonly string[] {
  if (firstHeader(headers, 'content-encoding') === null) return NONE;
  return allHeaders(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * The content of a message with its content codings (gzip, deflate, br) undone. Of a body cut short, as much as
 * can be read. Null when it cannot be read: not kept, an unknown coding, damaged, or larger than the limit.
 */
export function decodedContent(message: HttpMessage): Body | null {
  if (contentCodings(message.headers).length === 0) return message.body;
  const known = contents.get(message);
  if (known !== undefined) return known;
  const content = decodeContent(message, MAX_DECODED_BYTES);
  contents.set(message, content);
  return content;
}

/** As `decodedContent`, without caching, and with a limit for the decoded size in bytes. */
export function decodeContent(message: HttpMessage, limit: number): Body | null {
  const applied = contentCodings(message.headers);
  if (applied.length === 0 || message.body.size === 0) return message.body;
  let bytes = message.body.bytes;
  for (const coding of applied.toReversed()) bytes = bytes && undo(coding, bytes, limit);
  return bytes && Body.of(bytes);
}

/** Decodes one content coding; null where it is unknown, damaged or exceeds the limit. */
function undo(coding: string, bytes: Uint8Array, limit: number): Uint8Array | null {
  const zlib = { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes, zlib);
    if (coding === 'br') {
      const finishFlush = constants.BROTLI_OPERATION_FLUSH;
      return brotliDecompressSync(bytes, { maxOutputLength: limit, finishFlush });
    }
    // Some services send raw deflate under this name; the zlib header distinguishes them.
    if (coding === 'deflate') return isZlib(bytes) ? inflateSync(bytes, zlib) : inflateRawSync(bytes, zlib);
  } catch {
    return null;
  }
  return null;
}

/** Whether bytes begin with a zlib header (RFC 1950, section 2.2). */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
