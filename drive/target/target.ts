import { Agent, type Dispatcher } from 'undici';
import type { Ending, HeaderPairs, HttpResponse, Piece } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { isEventStream } from '../../exchange/http/event-stream.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { tlsErrorMessage } from '../../exchange/http/network.ts';
import { errorCode } from '../../schemas/error-message.ts';
import type { BaseUrl } from '../configuration/base-url.ts';
import type { StreamingBody } from './encode-request.ts';

/** How long and how much we listen. Times in milliseconds, sizes in bytes. */
export interface Timeouts {
  /** Until the connection is established, TLS included. */
  readonly connect: number;
  /** Until the status line. */
  readonly headers: number;
  /** Silence within the body. */
  readonly idle: number;
  /** The whole exchange. */
  readonly whole: number;
  /** Of a response body; one that goes on is left there. */
  readonly bytes: number;
  /** Of a stream of events, which no scenario lets grow. */
  readonly streamed: number;
}

/** One request, encoded but for the fields that depend on the connection. */
export interface OutgoingRequest {
  /** `PUT` is that of no operation: it shows whether a path exists. */
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT';
  /** Path and query, beginning with `/v1`. */
  readonly target: string;
  /** Without host, connection and content-length, which the connection writes. */
  readonly headers: HeaderPairs;
  readonly body: Uint8Array | StreamingBody | null;
  /** Hang up after this many bytes of the answer. */
  readonly abortAfter?: number | undefined;
}

/** The response to one call. `response` is null when no status line arrived. */
export interface IncomingResponse {
  readonly response: HttpResponse | null;
  readonly end: Ending;
  /** True when no connection could be made at all. */
  readonly refused: boolean;
}

/** The connections to one target. Redirects are answers like any other, and nothing is decoded. */
export class Target {
  readonly #url: BaseUrl;
  readonly #timeouts: Timeouts;
  readonly #agent: Agent;

  constructor(url: BaseUrl, timeouts: Timeouts) {
    this.#url = url;
    this.#timeouts = timeouts;
    // Our own timers are exact and say which patience ran out; undici's would only stand in their way.
    this.#agent = new Agent({ connect: { timeout: timeouts.connect }, headersTimeout: 0, bodyTimeout: 0 });
  }

  /**
   * The header fields as they go out, with those that the connection adds. They are recorded before the
   * request is sent, so they have to be those that undici writes.
   */
  sent(outgoing: OutgoingRequest): HeaderPairs {
    const host = new URL(this.#url.origin).host;
    const length =
      outgoing.method === 'POST' ? [['content-length', String(sizeOf(outgoing.body))] as const] : [];
    return [['host', host], ['connection', 'keep-alive'], ...outgoing.headers, ...length];
  }

  /** One request and everything that came back; never rejects. */
  send(outgoing: OutgoingRequest, stop?: AbortSignal): Promise<IncomingResponse> {
    return new Promise((resolve) => {
      const { method, body } = outgoing;
      const listener = new Listener(patientFor(body, this.#timeouts), outgoing.abortAfter, stop, resolve);
      const path = this.#url.prefix + outgoing.target;
      const isStreamed = body !== null && 'chunks' in body;
      const headers = [
        ...outgoing.headers.flat(),
        ...(isStreamed ? ['content-length', String(body.size)] : []),
      ];
      // as: undici takes any async iterable of bytes, its types name only some
      const sent = (isStreamed ? body.chunks : body) as Uint8Array | null;
      try {
        this.#agent.dispatch({ origin: this.#url.origin, path, method, headers, body: sent }, listener);
      } catch (error) {
        listener.onResponseError(null, error);
      }
    });
  }

  /** Closes all connections; exchanges in progress end as reset. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Bytes of a body. */
function sizeOf(body: OutgoingRequest['body']): number {
  if (body === null) return 0;
  return 'chunks' in body ? body.size : body.byteLength;
}

/** A large body takes its time on the way; a megabyte in a second is little to ask. */
function patientFor(body: OutgoingRequest['body'], timeouts: Timeouts): Timeouts {
  const extra = sizeOf(body) / 1000;
  return { ...timeouts, headers: timeouts.headers + extra, whole: timeouts.whole + extra };
}

/** Why we hung up ourselves. */
class HungUp extends Error {
  readonly how: 'client-abort' | 'upstream-timeout';

  constructor(how: 'client-abort' | 'upstream-timeout', message: string) {
    super(message);
    this.how = how;
  }
}

/** Status line and header fields, as they arrived. */
interface Head {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
}

/** Receives one exchange: collects pieces with their times, applies the timeouts, and settles once with the ending. */
class Listener implements Dispatcher.DispatchHandler {
  readonly #timeouts: Timeouts;
  readonly #abortAfter: number;
  readonly #settle: (incoming: IncomingResponse) => void;
  readonly #stop: AbortSignal | undefined;
  readonly #began = performance.now();
  readonly #whole: NodeJS.Timeout;
  readonly #pieces: Piece[] = [];
  readonly #chunks: Uint8Array[] = [];
  /** Runs out without a status line, later without a further byte. */
  #quiet: NodeJS.Timeout;
  /** Null until undici has assigned a connection. */
  #controller: Dispatcher.DispatchController | null = null;
  #head: Head | null = null;
  /** Bytes of the body up to now. */
  #size = 0;
  /** Bytes of the body that are accepted; known with the header fields. */
  #most = 0;
  /** True once the ending is settled; later events of the connection are ignored. */
  #over = false;

  constructor(
    timeouts: Timeouts,
    abortAfter: number | undefined,
    stop: AbortSignal | undefined,
    settle: (incoming: IncomingResponse) => void,
  ) {
    this.#timeouts = timeouts;
    this.#abortAfter = abortAfter ?? Number.POSITIVE_INFINITY;
    this.#settle = settle;
    this.#stop = stop;
    // Started first, so that the more specific of two simultaneous timeouts is reported.
    this.#quiet = this.#timer(timeouts.headers, `no status line within ${seconds(timeouts.headers)}`);
    this.#whole = this.#timer(timeouts.whole, `not over after ${seconds(timeouts.whole)}`);
    if (stop?.aborted) queueMicrotask(this.#stopped);
    else stop?.addEventListener('abort', this.#stopped, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new HungUp('client-abort', 'over before it began'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason?: string,
  ): void {
    // 1xx responses are not the response; the specification mentions none of them.
    if (status < 200 || this.#over) return;
    this.#head = { status, reason: reason ?? '', headers: headersOf(controller.rawHeaders) };
    this.#most = isEventStream(this.#head) ? this.#timeouts.streamed : this.#timeouts.bytes;
    clearTimeout(this.#quiet);
    this.#quiet = this.#timer(this.#timeouts.idle, `silent for ${seconds(this.#timeouts.idle)}`);
    this.#hangUpWhenEnough();
  }

  onResponseData(_controller: unknown, chunk: Uint8Array): void {
    if (this.#over) return;
    this.#pieces.push({ offset: this.#size, at: this.#at() });
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    this.#quiet.refresh();
    this.#hangUpWhenEnough();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#end('complete', null, headersOf(controller.rawTrailers));
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (error instanceof HungUp) this.#end(error.how, error.message, []);
    else
      this.#end(
        errorCode(error) === 'UND_ERR_CONNECT_TIMEOUT' ? 'upstream-timeout' : 'upstream-reset',
        connectionErrorMessage(error),
        [],
        isUnreachable(error) ? 'refused' : 'accepted',
      );
  }

  readonly #stopped = (): void => this.#hangUp(new HungUp('client-abort', 'the run was stopped'));

  #timer(after: number, message: string): NodeJS.Timeout {
    return setTimeout(() => this.#hangUp(new HungUp('upstream-timeout', message)), after);
  }

  #hangUpWhenEnough(): void {
    if (this.#size >= this.#abortAfter) {
      this.#hangUp(new HungUp('client-abort', `hung up after ${this.#size} bytes`));
    } else if (this.#size > this.#most) {
      this.#hangUp(new HungUp('upstream-timeout', `more than ${this.#most} bytes and still going`));
    }
  }

  #hangUp(error: HungUp): void {
    this.#controller?.abort(error);
    // The controller exists once a socket is assigned, and undici may report nothing after an abort.
    this.onResponseError(null, error);
  }

  /** Milliseconds since the request began, with two decimals. */
  #at(): number {
    return Math.round((performance.now() - this.#began) * 100) / 100;
  }

  /** Settles the exchange; only the first call counts. */
  #end(
    how: Ending['how'],
    detail: string | null,
    trailers: HeaderPairs,
    connection: 'accepted' | 'refused' = 'accepted',
  ): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#whole);
    clearTimeout(this.#quiet);
    this.#stop?.removeEventListener('abort', this.#stopped);
    const response = this.#head && {
      ...this.#head,
      body: Body.of(Buffer.concat(this.#chunks)),
      trailers,
      pieces: this.#pieces,
    };
    this.#settle({ response, end: { how, detail, at: this.#at() }, refused: connection === 'refused' });
  }
}

/** undici passes raw fields as a flat list of buffers, name and value in turn. */
function headersOf(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPairs {
  if (!Array.isArray(raw)) return [];
  return headerPairs(raw.map((field) => (typeof field === 'string' ? field : field.toString('latin1'))));
}

/** A duration as details of an ending show it. */
function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

// Errors of a connection to the target, as undici reports them: whether the target was there, and the words for people.

/**
 * Errors after which no byte has reached a server: the target is not there, in contrast to one that dropped a
 * call.
 */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the target could not be reached. Node reports one error for each address that a name resolves to. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnreachable);
  const code = errorCode(error);
  return code !== null && UNREACHABLE.has(code);
}

/** The message of an error of the connection, with its code, for the detail of an ending. */
export function connectionErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return connectionErrorMessage(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const fault = tlsErrorMessage(error);
  if (fault !== null) return fault;
  const code = errorCode(error);
  return code === null || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}
