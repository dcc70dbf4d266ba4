import { MIMEType } from 'node:util';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { getOrMake } from '../../schemas/maps.ts';
import { Body, type Json, MAX_READ_BYTES } from './body.ts';
import { allHeaders, firstHeader, type HeaderPairs } from './headers.ts';
import type { HttpMessage, HttpRequest } from './message.ts';

/** Maximum number of cached media types: only a few recur, and those with a boundary never do. */
const MAX_CACHED_TYPES = 500;
const mediaTypes = new Map<string, MediaType | null>();
const NO_CODINGS: readonly string[] = [];
const contents = new WeakMap<HttpMessage, Body | null>();

interface MediaType {
  /** Lower case, without parameters: `application/json`. */
  readonly essence: string;
  /** Lower case. */
  readonly charset: string | null;
  readonly boundary: string | null;
}

export function mediaTypeOf(headers: HeaderPairs): MediaType | null {
  return parseMediaType(firstHeader(headers, 'content-type'));
}

export function parseMediaType(value: string | null): MediaType | null {
  if (value === null) return null;
  if (mediaTypes.size >= MAX_CACHED_TYPES) mediaTypes.clear();
  return getOrMake(mediaTypes, value, () => readMediaType(value));
}

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

/** The content codings in the order in which they were applied, without `identity`. */
export function contentCodings(headers: HeaderPairs): readonly string[] {
  if (firstHeader(headers, 'content-encoding') === null) return NO_CODINGS;
  return allHeaders(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * The content without its codings (gzip, deflate, br), as far as it can be decoded if the body is truncated; the body
 * itself if it is empty or has no coding, even if it was not kept. Null if coded content was not kept, is damaged or
 * too large, or has an unknown coding.
 */
export function decodedContent(message: HttpMessage): Body | null {
  if (contentCodings(message.headers).length === 0) return message.body;
  return getOrMake(contents, message, () => decodeUpTo(message, MAX_READ_BYTES));
}

export function jsonContent(message: HttpMessage | null): Json | undefined {
  return message === null ? undefined : decodedContent(message)?.json?.value;
}

export function decodeUpTo(message: HttpMessage, limit: number): Body | null {
  const codings = contentCodings(message.headers);
  if (codings.length === 0 || message.body.size === 0) return message.body;
  let bytes = message.body.bytes;
  for (const coding of codings.toReversed()) bytes = bytes && removeCoding(coding, bytes, limit);
  return bytes && Body.from(bytes);
}

function removeCoding(coding: string, bytes: Uint8Array, limit: number): Uint8Array | null {
  const zlib = { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes, zlib);
    if (coding === 'br')
      return brotliDecompressSync(bytes, { ...zlib, finishFlush: constants.BROTLI_OPERATION_FLUSH });
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

export function isCutShort({ headers, body }: HttpRequest): boolean {
  const length = firstHeader(headers, 'content-length');
  return length !== null && body.size < Number(length);
}
