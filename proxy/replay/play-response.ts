import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { RecordedResponse } from '../../exchange/cassette/parse-exchange.ts';
import type { HeaderPairs, HttpResponse } from '../../exchange/exchange.ts';
import { hasHeader } from '../../exchange/http/headers.ts';
import { statusOfFault } from '../forward/forwarding-fault.ts';
import { sendProxyError } from '../http/proxy-error.ts';
import {
  abortResponse,
  endToEndHeaders,
  isReset,
  resetConnection,
  resetInTurn,
  withoutFields,
  writeHead,
} from '../http/response.ts';
import { findUnpassableField, findUnpassablePart, refuseUnpassable } from '../http/unpassable.ts';
import { type Chunking, type ScheduledChunk, scheduleChunks } from './chunking.ts';

export interface PlayOptions {
  /** Speed relative to the recording; Infinity does not wait. */
  readonly pace: number;
  readonly chunking: Chunking;
  /** Called if the recorded client disconnected early and this one has not; this one's connection is then reset. */
  readonly onCut?: ((words: string) => void) | undefined;
}

/** Shorter waits are skipped: a timer counts whole milliseconds. */
const MIN_WAIT_MS = 0.5;

export interface ClientConnection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Arrival of the head of the request, on the clock of `performance.now()`. */
  readonly began: number;
}

/** Returned by `playResponse` if nothing is left to be written, which is the usual case. */
export const PLAYED_AT_ONCE: Promise<void> = Promise.resolve();

/**
 * Resolves when the response is complete or the client has disconnected. Throws or rejects if the body cannot be read.
 */
export function playResponse(
  exchange: RecordedResponse,
  client: ClientConnection,
  options: PlayOptions,
): Promise<void> {
  const { response, end } = exchange;
  const { req, res } = client;
  if (response === null) {
    playWithoutResponse(exchange, res, options);
    return PLAYED_AT_ONCE;
  }
  const why = findUnpassablePart(response.status, response.reason, response.headers.length);
  if (why !== null) {
    refuseUnpassable(res, why);
    return PLAYED_AT_ONCE;
  }
  const { pace, chunking } = options;
  if (end.how !== 'complete' || pace !== Number.POSITIVE_INFINITY || !isOnePiece(response, chunking)) {
    return playInPieces(exchange, response, client, options);
  }
  if (!sendHead(req, res, response)) return PLAYED_AT_ONCE;
  endResponse(res, response.trailers, response.body.bytes ?? undefined);
  return PLAYED_AT_ONCE;
}

/** Replays an exchange without a response: an abort or reset as a reset if possible, anything else as a proxy error. */
function playWithoutResponse(
  { id, end }: RecordedResponse,
  res: ServerResponse,
  { onCut }: PlayOptions,
): void {
  if (end.how === 'client-abort') {
    onCut?.(cutMessage(id));
    if (resetConnection(res)) return;
  }
  if (isReset(end.detail) && resetConnection(res)) return;
  const otherCode = end.detail?.startsWith('HPE_') === true ? 'upstream_invalid' : 'upstream_unreachable';
  const code = end.how === 'upstream-timeout' ? 'upstream_timeout' : otherCode;
  const message = `As recorded in ${id}: ${end.detail ?? end.how}.`;
  sendProxyError(res, { status: statusOfFault(code), code, message });
}

export function cutMessage(id: string): string {
  return `The client recorded in ${id} disconnected before the response was complete: the rest was not recorded, and the connection is reset there.`;
}

async function playInPieces(
  exchange: RecordedResponse,
  response: HttpResponse,
  client: ClientConnection,
  options: PlayOptions,
): Promise<void> {
  const pieces = scheduleChunks(response, options.chunking);
  try {
    await playPieces(pieces, exchange, response, client, options);
  } finally {
    // Closes the file of a large body.
    pieces.return(undefined);
  }
}

async function playPieces(
  pieces: Generator<ScheduledChunk>,
  { id, end }: RecordedResponse,
  response: HttpResponse,
  client: ClientConnection,
  { pace, onCut }: PlayOptions,
): Promise<void> {
  const { req, res } = client;
  let next = pieces.next();
  if (!(await waitUntil(next.done ? end.at : next.value.at, client, pace))) return;
  if (!sendHead(req, res, response)) return;
  let isFirst = true;
  while (!next.done) {
    const { bytes, at } = next.value;
    if (!(await waitUntil(at, client, pace))) return;
    next = pieces.next();
    if (next.done && end.how === 'complete' && pace === Number.POSITIVE_INFINITY)
      return endResponse(res, response.trailers, bytes);
    if (!res.write(bytes) && !(await waitForDrain(res))) return;
    // Pieces written in one turn of the event loop leave in one packet. A client in this process reads between two
    // turns; the first piece needs one more, because it is written during the read phase.
    await nextTurn();
    if (isFirst) await nextTurn();
    isFirst = false;
  }
  if (end.how !== 'complete') res.flushHeaders();
  if (!(await waitUntil(end.at, client, pace))) return;
  if (end.how === 'complete') endResponse(res, response.trailers);
  else if (end.how === 'client-abort') {
    onCut?.(cutMessage(id));
    await waitForFlush(res);
    resetInTurn(res);
  } else abortResponse(res);
}

/** Waits until all written bytes have been passed to the system: a reset discards the others. */
function waitForFlush(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = res;
    if (socket === null || socket.destroyed) resolve();
    else {
      socket.once('close', resolve);
      socket.write('', () => resolve());
    }
  });
}

function isOnePiece({ pieces, body }: HttpResponse, { by }: Chunking): boolean {
  return (by === 'whole' || (by === 'wire' && pieces.length === 1)) && body.file === null;
}

function sendHead(
  req: IncomingMessage,
  res: ServerResponse,
  { status, reason, headers }: HttpResponse,
): boolean {
  res.sendDate = false;
  const fields = flatFields(headers);
  // HTTP/1.0 clients close the connection unless a field says otherwise; node adds that field if possible.
  const isHttp10 = req.httpVersionMinor === 0;
  // For other clients node would add a Connection field that the service did not send.
  if (!isHttp10) res.removeHeader('connection');
  try {
    writeHead(req, res, {
      status,
      reason,
      fields: isHttp10 || !res.shouldKeepAlive ? endToEndHeaders(fields) : fields,
    });
    return true;
  } catch (error) {
    const why = findUnpassableField(headers);
    if (why === null) throw error;
    refuseUnpassable(res, why);
    return false;
  }
}

function endResponse(res: ServerResponse, trailers: HeaderPairs, last?: Uint8Array): void {
  if (trailers.length > 0) {
    res.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
  }
  res.end(last);
}

/**
 * The fields as name, value, name, value. Drops Content-Length next to Transfer-Encoding; only forged cassettes have
 * both, and readers could disagree about the end of the body (RFC 9112, section 6.3).
 */
function flatFields(headers: HeaderPairs): string[] {
  const isTransferCoded = hasHeader(headers, 'transfer-encoding');
  return withoutFields(headers.flat(), (name) => isTransferCoded && name.toLowerCase() === 'content-length');
}

async function waitUntil(at: number, { res, began }: ClientConnection, pace: number): Promise<boolean> {
  const remaining = at / pace - (performance.now() - began);
  if (remaining > MIN_WAIT_MS && !res.destroyed) {
    const closed = new AbortController();
    const abort = () => closed.abort();
    res.once('close', abort);
    // Rejects only if the client disconnects.
    await pause(remaining, undefined, { signal: closed.signal }).catch(() => {});
    res.off('close', abort);
  }
  return !res.destroyed;
}

function waitForDrain(res: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve(!res.destroyed);
    };
    res.on('drain', done).on('close', done);
  });
}
