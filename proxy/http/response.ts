import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { errorCode } from '../../schemas/error-message.ts';
import { sendProxyError } from './proxy-error.ts';

/** Characters that HTTP does not allow in a reason phrase or a field value. */
const CONTROL_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Maximum number of fields that node's parser keeps; it silently drops further ones. */
const MAX_FIELDS = 1_000;
/** Fields that belong to one connection; also `Expect`, because it makes node send the head immediately. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect']);

export interface RawResponseHead {
  readonly status: number;
  readonly reason: string;
  /** A flat list: name, value, name, value. */
  readonly fields: string[];
}

/** Writes a response head; omits chunking fields that the client or node rejects. Throws if it is not valid HTTP. */
export function writeHead(
  req: IncomingMessage,
  res: ServerResponse,
  { status, reason, fields }: RawResponseHead,
): void {
  if (req.httpVersionMinor === 0) {
    res.writeHead(status, reason, withoutChunking(fields));
    return;
  }
  try {
    res.writeHead(status, reason, fields);
  } catch (error) {
    // Node refuses to announce trailers for a response that cannot have any.
    if (errorCode(error) !== 'ERR_HTTP_TRAILER_INVALID') throw error;
    res.writeHead(status, reason, withoutChunking(fields));
  }
}

export function isHopByHop(lowerCaseName: string): boolean {
  return HOP_BY_HOP.has(lowerCaseName);
}

/** The fields (name, value, name, value) that do not belong to one connection. */
export function endToEndHeaders(fields: readonly string[]): string[] {
  return withoutFields(fields, (name) => HOP_BY_HOP.has(name.toLowerCase()));
}

/** The fields (name, value, name, value) without those of the chunked coding, which HTTP/1.0 clients do not know. */
function withoutChunking(fields: readonly string[]): string[] {
  return withoutFields(fields, (name) => /^(?:transfer-encoding|trailer)$/i.test(name));
}

/** The fields (name, value, name, value) except those whose names `isDropped` selects. */
export function withoutFields(fields: readonly string[], isDropped: (name: string) => boolean): string[] {
  const remaining: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    if (!isDropped(name)) remaining.push(name, fields[i + 1] ?? '');
  }
  return remaining;
}

/**
 * Says why a response cannot be passed on: its status is not final, its reason phrase has control characters, or the
 * parser may have dropped fields. Null if it can. Node's parser has already checked the fields themselves.
 */
export function findUnpassablePart(status: number, reason: string, fieldCount: number): string | null {
  if (!(status >= 200 && status <= 999))
    return status === 101
      ? 'it switches protocols (101), which the request did not ask for'
      : `its status is ${String(status).padStart(3, '0')}, which no final response has`;
  if (fieldCount >= MAX_FIELDS) return `it has ${MAX_FIELDS.toLocaleString('en')} header fields or more`;
  return CONTROL_CHARACTER.test(reason) ? 'its reason phrase contains control characters' : null;
}

/** Like `findUnpassablePart`, for fields that no parser has checked, such as fields from a cassette. */
export function findUnpassableField(headers: HeaderPairs): string | null {
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) return `the name of its field ${JSON.stringify(name.slice(0, 80))} is not a token`;
    if (CONTROL_CHARACTER.test(value)) return `its field ${name} contains control characters`;
  }
  return null;
}

/** Sends a proxy error instead of a response that cannot be passed on; `why` comes from one of the functions above. */
export function refuseUnpassable(res: ServerResponse, why: string): void {
  const message = `The upstream sent an invalid HTTP response: ${why}.`;
  sendProxyError(res, { status: 502, code: 'upstream_invalid', message });
}

/** Ends a response so that the body is visibly incomplete; over HTTP/1.1 the client still gets all written bytes. */
export function abortResponse(req: IncomingMessage, { socket }: ServerResponse): void {
  // Before HTTP/1.1 a body ends with its connection; only a reset shows that it is incomplete.
  if (req.httpVersionMinor === 0) socket?.resetAndDestroy();
  else socket?.destroySoon();
}

/** Resets the connection of a response. Returns false, without a reset, while an earlier pipelined one holds it. */
export function resetConnection({ socket }: ServerResponse): boolean {
  socket?.resetAndDestroy();
  return socket !== null;
}

/** Whether an error code means that the other side closed the connection, which is recorded and replayed as a reset. */
export function isReset(code: string | null): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}
