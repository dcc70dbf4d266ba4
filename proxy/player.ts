import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Answer } from '../exchange/cassette/answer.ts';
import type { Ending, HeaderPairs, HttpResponse } from '../exchange/exchange.ts';
import { type Chunking, slices } from './chunking.ts';
import { cut } from './cut.ts';
import { refuse } from './refuse.ts';

export interface PlayOptions {
  /** How many times faster than recorded; Infinity does not wait at all. */
  readonly pace: number;
  readonly chunking: Chunking;
}

/** What `play` gives where nothing is left to do when it returns, as nearly always. */
export const PLAYED: Promise<void> = Promise.resolve();

/**
 * Answers a request as a recorded one was answered: bytes, fields, pieces and ending. Settles when nothing is left to do.
 * Recorded times count from `began`, when the request came in, by the clock of `performance`. Throws, or rejects, when the
 * body cannot be read.
 */
export function play(
  exchange: Answer,
  req: IncomingMessage,
  res: ServerResponse,
  options: PlayOptions,
  began = performance.now(),
): Promise<void> {
  const { response, end } = exchange;
  if (response === null) {
    if (end.how === 'client-abort') return PLAYED;
    const [status, code] =
      end.how === 'upstream-timeout' ? [504, 'upstream_timeout'] : [502, 'upstream_unreachable'];
    refuse(res, Number(status), String(code), `As recorded in ${exchange.id}: ${end.detail ?? end.how}.`);
    return PLAYED;
  }
  const { pace, chunking } = options;
  if (end.how !== 'complete' || pace !== Number.POSITIVE_INFINITY || !isOnePiece(response, chunking)) {
    return inPieces(response, end, req, res, options, began);
  }
  head(res, response);
  finish(res, response.trailers, response.body.bytes ?? undefined);
  return PLAYED;
}

async function inPieces(
  response: HttpResponse,
  end: Ending,
  req: IncomingMessage,
  res: ServerResponse,
  { pace, chunking }: PlayOptions,
  began: number,
): Promise<void> {
  const clock = new Clock(pace, res, began);
  const pieces = slices(response, chunking);
  let next = pieces.next();
  if (!(await clock.until(next.done ? end.at : next.value.at))) return;
  head(res, response);
  while (!next.done) {
    const { bytes, at } = next.value;
    if (!(await clock.until(at))) return;
    next = pieces.next();
    const isLast = next.done === true && end.how === 'complete' && !clock.waits;
    if (isLast) return finish(res, response.trailers, bytes);
    if (!res.write(bytes) && !(await drained(res))) return;
    // Pieces that are written in one turn of the event loop leave in one packet.
    await turn();
  }
  if (end.how !== 'complete') res.flushHeaders();
  // Who left then was the client; the service would have gone on.
  if (end.how === 'client-abort' || !(await clock.until(end.at))) return;
  if (end.how === 'complete') finish(res, response.trailers);
  else cut(req, res);
}

/** What most answers are. */
function isOnePiece({ pieces, body }: HttpResponse, { by }: Chunking): boolean {
  return (by === 'whole' || (by === 'wire' && pieces.length === 1)) && body.file === null;
}

function head(res: ServerResponse, { status, reason, headers }: HttpResponse): void {
  res.sendDate = false;
  // Otherwise node adds a field of its own where the service sent none.
  res.removeHeader('connection');
  res.writeHead(status, reason, known(headers));
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
