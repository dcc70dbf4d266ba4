import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { RecordedResponse } from '../../exchange/cassette/format/recorded-response.ts';
import type { Ending, HeaderPairs, HttpResponse } from '../../exchange/exchange.ts';
import { abortResponse } from '../forward/abort-response.ts';
import { isReset, reset } from '../forward/fault.ts';
import { sendProxyError } from '../forward/proxy-error.ts';
import { writeHead } from '../upstream/head.ts';
import { refuseUnpassable, unpassable, unpassableField } from '../upstream/passable.ts';
import { endToEndHeaders } from '../upstream/upstream-headers.ts';
import { type Chunking, scheduleChunks } from './chunking.ts';

export interface PlayOptions {
  /** How many times faster than recorded; Infinity does not wait at all. */
  readonly pace: number;
  readonly chunking: Chunking;
  /** Called where a recording ends because its client had left, and this one has not: its connection is reset. */
  readonly onCut?: ((words: string) => void) | undefined;
}

/** What `play` gives where nothing is left to do when it returns, as nearly always. */
export const PLAYED_AT_ONCE: Promise<void> = Promise.resolve();

/**
 * Answers a request as a recorded one was answered: bytes, fields, pieces and ending. Settles when nothing is left to do.
 * Recorded times count from `began`, when the request came in, by the clock of `performance`. Throws, or rejects, when the
 * body cannot be read.
 */
export function playResponse(
  exchange: RecordedResponse,
  req: IncomingMessage,
  res: ServerResponse,
  options: PlayOptions,
  began = performance.now(),
): Promise<void> {
  const { response, end } = exchange;
  if (response === null) {
    unanswered(exchange, res, options);
    return PLAYED_AT_ONCE;
  }
  const why = unpassable(response.status, response.reason, response.headers.length);
  if (why !== null) {
    refuseUnpassable(res, why);
    return PLAYED_AT_ONCE;
  }
  const { pace, chunking } = options;
  if (end.how !== 'complete' || pace !== Number.POSITIVE_INFINITY || !isOnePiece(response, chunking)) {
    return inPieces(exchange, response, req, res, options, began);
  }
  if (!head(req, res, response)) return PLAYED_AT_ONCE;
  finish(res, response.trailers, response.body.bytes ?? undefined);
  return PLAYED_AT_ONCE;
}

/** Plays an exchange in which no status line came: how it broke off, to who could see that. */
function unanswered({ id, end }: RecordedResponse, res: ServerResponse, { onCut }: PlayOptions): void {
  if (end.how === 'client-abort') {
    onCut?.(leftWords(id));
    if (reset(res)) return;
  }
  if (isReset(end.detail) && reset(res)) return;
  const [status, code] =
    end.how === 'upstream-timeout' ? ([504, 'upstream_timeout'] as const) : ([502, codeOf(end)] as const);
  sendProxyError(res, status, code, `As recorded in ${id}: ${end.detail ?? end.how}.`);
}

function codeOf({ detail }: Ending): string {
  return detail?.startsWith('HPE_') === true ? 'upstream_invalid' : 'upstream_unreachable';
}

/** What is to be said where a client reads on beyond a recording. */
export function leftWords(id: string): string {
  return `The client that was recorded in ${id} left before the answer was whole: there is no more of it, and the connection is reset there.`;
}

async function inPieces(
  { id, end }: RecordedResponse,
  response: HttpResponse,
  req: IncomingMessage,
  res: ServerResponse,
  { pace, chunking, onCut }: PlayOptions,
  began: number,
): Promise<void> {
  const clock = new Clock(pace, res, began);
  const pieces = scheduleChunks(response, chunking);
  let next = pieces.next();
  if (!(await clock.until(next.done ? end.at : next.value.at))) return;
  if (!head(req, res, response)) return;
  let isFirst = true;
  while (!next.done) {
    const { bytes, at } = next.value;
    if (!(await clock.until(at))) return;
    next = pieces.next();
    const isLast = next.done === true && end.how === 'complete' && !clock.waits;
    if (isLast) return finish(res, response.trailers, bytes);
    if (!res.write(bytes) && !(await drained(res))) return;
    // Pieces that are written in one turn of the event loop leave in one packet. Between two turns a client of this process
    // reads, but for the first: that one is written where the event loop reads itself.
    await turn();
    if (isFirst) await turn();
    isFirst = false;
  }
  if (end.how !== 'complete') res.flushHeaders();
  if (!(await clock.until(end.at))) return;
  if (end.how === 'complete') finish(res, response.trailers);
  else if (end.how === 'client-abort') {
    onCut?.(leftWords(id));
    await written(res);
    reset(res);
  } else abortResponse(req, res);
}

/** Waits until all that was written is with the system: a reset throws away what is not. */
function written(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = res;
    if (socket === null || socket.destroyed) resolve();
    else {
      socket.once('close', resolve);
      socket.write('', () => resolve());
    }
  });
}

/** What most answers are. */
function isOnePiece({ pieces, body }: HttpResponse, { by }: Chunking): boolean {
  return (by === 'whole' || (by === 'wire' && pieces.length === 1)) && body.file === null;
}

/** Writes the head; false where no client could take it, which has got an error in its place. */
function head(req: IncomingMessage, res: ServerResponse, { status, reason, headers }: HttpResponse): boolean {
  res.sendDate = false;
  const fields = known(headers);
  // A client of HTTP/1.0 closes, unless it is told otherwise, which node does where it may.
  const isOld = req.httpVersionMinor === 0;
  // Otherwise node adds a field of its own where the service sent none.
  if (!isOld) res.removeHeader('connection');
  try {
    writeHead(req, res, {
      status,
      reason,
      fields: isOld || !res.shouldKeepAlive ? endToEndHeaders(fields) : fields,
    });
    return true;
  } catch (error) {
    const why = unpassableField(headers);
    if (why === null) throw error;
    refuseUnpassable(res, why);
    return false;
  }
}

function finish(res: ServerResponse, trailers: HeaderPairs, last?: Uint8Array): void {
  if (trailers.length > 0) {
    res.addTrailers(trailers.filter(isKnown).map(([name, value]): [string, string] => [name, value]));
  }
  res.end(last);
}

/** Without their values in the volatile lane, fields are left out. */
const isKnown = ([, value]: HeaderPairs[number]) => value !== '';

/** The fields that are known, as `node:http` takes them: name, value, name, value. */
function known(headers: HeaderPairs): string[] {
  const flat: string[] = [];
  for (const pair of headers) if (isKnown(pair)) flat.push(pair[0], pair[1]);
  return flat;
}

/** The recorded time, at some pace, since the request came in. */
class Clock {
  readonly waits: boolean;
  readonly #pace: number;
  readonly #res: ServerResponse;
  readonly #began: number;

  constructor(pace: number, res: ServerResponse, began: number) {
    this.#began = began;
    this.#pace = pace;
    this.#res = res;
    this.waits = pace !== Number.POSITIVE_INFINITY;
  }

  /** Waits for a recorded time; false when the client has left meanwhile. */
  async until(at: number): Promise<boolean> {
    const rest = at / this.#pace - (performance.now() - this.#began);
    if (this.waits && rest > 0.5) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, rest);
        const res = this.#res;
        res.once('close', done);
        function done() {
          clearTimeout(timer);
          res.off('close', done);
          resolve();
        }
      });
    }
    return !this.#res.destroyed;
  }
}

/** Waits until a response takes more; false when the client has left. */
function drained(res: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve(!res.destroyed);
    };
    res.on('drain', done);
    res.on('close', done);
  });
}
