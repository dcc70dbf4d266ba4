import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCode } from '../../schemas/error-message.ts';

/** Fields about one connection except framing, and `Expect`, for which node would send a request head immediately. */
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
  // HTTP/1.0 clients do not know the chunked coding.
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

export function endToEndHeaders(fields: readonly string[]): string[] {
  return withoutFields(fields, (name) => isHopByHop(name.toLowerCase()));
}

function withoutChunking(fields: readonly string[]): string[] {
  return withoutFields(fields, (name) => /^(?:transfer-encoding|trailer)$/i.test(name));
}

export function withoutFields(fields: readonly string[], isDropped: (name: string) => boolean): string[] {
  const remaining: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    if (!isDropped(name)) remaining.push(name, fields[i + 1] ?? '');
  }
  return remaining;
}

/** Ends a response so that the body is visibly incomplete; over HTTP/1.1 the client still gets all written bytes. */
export function abortResponse(res: ServerResponse): void {
  const { socket } = res;
  // While an earlier pipelined response uses the connection, node keeps the written bytes until this one's turn.
  if (socket === null) res.once('socket', () => process.nextTick(abortResponse, res));
  // An HTTP/1.0 body may end when the connection closes; only a reset shows that it is incomplete.
  else if (res.req.httpVersionMinor === 0) socket.resetAndDestroy();
  else socket.destroySoon();
}

/** Returns false, without a reset, while an earlier pipelined response uses the connection. */
export function resetConnection({ socket }: ServerResponse): boolean {
  socket?.resetAndDestroy();
  return socket !== null;
}

/** Resets the connection, or closes it after the earlier pipelined response that uses it. */
export function resetInTurn(res: ServerResponse): void {
  if (!resetConnection(res)) abortResponse(res);
}

/** Whether an error code means that the other side closed the connection, which is recorded and replayed as a reset. */
export function isReset(code: string | null): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}
