import { Agent, buildConnector, type Dispatcher, errors, ProxyAgent } from 'undici';
import type { Ending, HeaderPairs, HttpResponse, Piece } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { proxyFor } from '../../exchange/http/environment-proxy.ts';
import { isEventStream } from '../../exchange/http/event-stream.ts';
import { firstHeader, headerPairs, remainingRequests } from '../../exchange/http/headers.ts';
import { tlsErrorMessage } from '../../exchange/http/tls-error.ts';
import { errorCode } from '../../schemas/error-message.ts';
import type { BaseUrl } from '../configuration/base-url.ts';

/** Limits of one exchange. Times in milliseconds, sizes in bytes. */
export interface ExchangeLimits {
  /** Until the connection is established, TLS included. */
  readonly connect: number;
  /** Until the status line. */
  readonly headers: number;
  /** Longest pause between two pieces of the body. */
  readonly idle: number;
  /** Until the exchange ends. */
  readonly total: number;
  /** Largest response body; the rest of a larger one is not read. */
  readonly bodyBytes: number;
  /** Largest event stream; no scenario requests a long one. */
  readonly streamBytes: number;
}

/** A body generated while it is sent; it can be sent only once. */
export interface StreamingBody {
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface OutgoingRequest {
  /** No operation uses `PUT`; discovery sends it to learn whether a path exists. */
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT';
  /** Path and query, beginning with `/v1`. */
  readonly target: string;
  /** A host replaces that of the target; `connection: close` closes the connection. Any content-length is ignored. */
  readonly headers: HeaderPairs;
  readonly body: Uint8Array | StreamingBody | null;
  /** Disconnects after this many bytes of the response body. */
  readonly abortAfter?: number | undefined;
}

export interface IncomingResponse {
  /** Null if no status line arrived. */
  readonly response: HttpResponse | null;
  readonly end: Ending;
  /** Whether the connection failed with one of `UNREACHABLE_CODES`. */
  readonly isUnreachable: boolean;
  /**
   * Whether a connection that had received bytes closed before this response had a head. Servers close idle connections
   * at any time, so this says nothing about the request: it must be sent again on a new connection.
   */
  readonly isStale: boolean;
}

/** `new` is for the request after a stale connection, because others in the pool may be stale as well. */
export type ConnectionChoice = 'kept' | 'new';

/** Fields that undici writes itself; a request states at most their values. */
const CONNECTION_FIELDS = new Set(['host', 'connection', 'content-length']);

const staleErrors = new WeakSet<object>();

/** Codes of errors that occur before a request can reach a server, so that the target is unreachable. */
const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Sends requests to a base URL. Neither follows redirects nor removes content codings. */
export class Target {
  readonly #url: BaseUrl;
  readonly #limits: ExchangeLimits;
  #agent: Dispatcher;
  #begunRequests = 0;
  #maxRequests: number | null = null;
  readonly #leavingAgents = new Set<Dispatcher>();
  readonly #newAgents = new Set<Dispatcher>();

  constructor(url: BaseUrl, limits: ExchangeLimits) {
    this.#url = url;
    this.#limits = limits;
    this.#agent = this.#openAgent();
  }

  /** undici honours `Connection: close` and `Keep-Alive: timeout`, and `#takeAgent` honours `max`. */
  #openAgent(): Dispatcher {
    // Our own timers say which limit was exceeded; undici's timers are off.
    const untimed = { headersTimeout: 0, bodyTimeout: 0 };
    const proxy = proxyFor(this.#url.origin);
    const connection = { timeout: this.#limits.connect };
    if (proxy !== null)
      return new ProxyAgent({ uri: proxy.url, ...untimed, proxyTls: connection, requestTls: connection });
    const connect = buildConnector(connection);
    return new Agent({
      ...untimed,
      connect: (options, callback) =>
        connect(options, (...result) => {
          const [, socket] = result;
          // This listener runs before undici's, which passes the same error to the request.
          socket?.on('error', (error) => {
            if (socket.bytesRead > 0) staleErrors.add(error);
          });
          callback(...result);
        }),
    });
  }

  /** Returns all header fields as undici will write them; they are recorded before the request is sent. */
  sentHeaders(outgoing: OutgoingRequest): HeaderPairs {
    const host = firstHeader(outgoing.headers, 'host') ?? new URL(this.#url.origin).host;
    const connection =
      firstHeader(outgoing.headers, 'connection')?.toLowerCase() === 'close' ? 'close' : 'keep-alive';
    const others = outgoing.headers.filter(([name]) => !CONNECTION_FIELDS.has(name.toLowerCase()));
    const length = ['POST', 'PUT'].includes(outgoing.method)
      ? [['content-length', String(sizeOf(outgoing.body))] as const]
      : [];
    return [['host', host], ['connection', connection], ...others, ...length];
  }

  /** Never rejects. */
  async send(
    outgoing: OutgoingRequest,
    signal?: AbortSignal,
    connection: ConnectionChoice = 'kept',
  ): Promise<IncomingResponse> {
    if (connection === 'kept') return this.#dispatch(this.#takeAgent(), outgoing, signal);
    const agent = this.#openAgent();
    this.#newAgents.add(agent);
    const incoming = await this.#dispatch(agent, outgoing, signal);
    this.#newAgents.delete(agent);
    await agent.destroy();
    // A new connection cannot be stale: if it closed, it did so during its first response.
    return { ...incoming, isStale: false };
  }

  /** The agent for the next request: a new one if a connection of the current one may be at its last request. */
  #takeAgent(): Dispatcher {
    if (this.#maxRequests !== null && this.#begunRequests >= this.#maxRequests) {
      const leaving = this.#agent;
      this.#leavingAgents.add(leaving);
      const forget = () => this.#leavingAgents.delete(leaving);
      leaving.close().then(forget, forget);
      this.#agent = this.#openAgent();
      this.#begunRequests = 0;
    }
    this.#begunRequests += 1;
    return this.#agent;
  }

  #dispatch(
    agent: Dispatcher,
    outgoing: OutgoingRequest,
    signal: AbortSignal | undefined,
  ): Promise<IncomingResponse> {
    return new Promise((resolve) => {
      const { method, body, abortAfter } = outgoing;
      // A large body needs time to be sent: the limits grow by a second for each megabyte.
      const sendingTime = sizeOf(body) / 1000;
      const { headers: head, total } = this.#limits;
      const limits = { ...this.#limits, headers: head + sendingTime, total: total + sendingTime };
      const listener = new ResponseListener(limits, abortAfter, signal, (incoming) => {
        // `max` is either the total of a connection or what remains of it: the first announcement serves for both.
        this.#maxRequests ??= incoming.response && remainingRequests(incoming.response.headers);
        resolve(incoming);
      });
      const path = this.#url.prefix + outgoing.target;
      const isStreamed = body !== null && 'chunks' in body;
      const length = isStreamed ? ['content-length', String(body.size)] : [];
      // undici refuses a length that differs from that of the body, or a second one.
      const fields = outgoing.headers.filter(([name]) => name.toLowerCase() !== 'content-length');
      const headers = [...fields.flat(), ...length];
      // as: undici takes any async iterable of bytes; its types name only some
      const sent = (isStreamed ? body.chunks : body) as Uint8Array | null;
      try {
        agent.dispatch({ origin: this.#url.origin, path, method, headers, body: sent }, listener);
      } catch (error) {
        listener.onResponseError(null, error);
      }
    });
  }

  /** Exchanges in progress end as reset. */
  async close(): Promise<void> {
    await Promise.all(
      [this.#agent, ...this.#leavingAgents, ...this.#newAgents].map((agent) => agent.destroy()),
    );
  }
}

function sizeOf(body: OutgoingRequest['body']): number {
  if (body === null) return 0;
  return 'chunks' in body ? body.size : body.byteLength;
}

class HungUp extends Error {
  readonly how: 'client-abort' | 'upstream-timeout';

  constructor(how: 'client-abort' | 'upstream-timeout', message: string) {
    super(message);
    this.how = how;
  }
}

class ResponseListener implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #abortAfter: number;
  readonly #settle: (incoming: IncomingResponse) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #startedAt = performance.now();
  readonly #totalTimer: NodeJS.Timeout;
  readonly #pieces: Piece[] = [];
  readonly #chunks: Uint8Array[] = [];
  /** Fires if no status line arrives in time, and later if no further byte does. */
  #silenceTimer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #head: { readonly status: number; readonly reason: string; readonly headers: HeaderPairs } | null = null;
  #size = 0;
  #maxBytes = 0;
  #isOver = false;

  constructor(
    limits: ExchangeLimits,
    abortAfter: number | undefined,
    signal: AbortSignal | undefined,
    settle: (incoming: IncomingResponse) => void,
  ) {
    this.#limits = limits;
    this.#abortAfter = abortAfter ?? Number.POSITIVE_INFINITY;
    this.#settle = settle;
    this.#signal = signal;
    // This timer starts first, so that the more specific of two simultaneous timeouts is reported.
    this.#silenceTimer = this.#startTimer(limits.headers, `no status line within ${seconds(limits.headers)}`);
    this.#totalTimer = this.#startTimer(limits.total, `not complete within ${seconds(limits.total)}`);
    if (signal?.aborted) queueMicrotask(this.#abort);
    else signal?.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new HungUp('client-abort', 'aborted before it was sent'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason?: string,
  ): void {
    // A 1xx response is not final, and the specification mentions none.
    if (status < 200 || this.#isOver) return;
    this.#head = { status, reason: reason ?? '', headers: parseRawHeaders(controller.rawHeaders) };
    this.#maxBytes = isEventStream(this.#head) ? this.#limits.streamBytes : this.#limits.bodyBytes;
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = this.#startTimer(this.#limits.idle, `silent for ${seconds(this.#limits.idle)}`);
    this.#checkSize();
  }

  onResponseData(_controller: unknown, chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#pieces.push({ offset: this.#size, at: this.#elapsed() });
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    this.#silenceTimer.refresh();
    this.#checkSize();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#end('complete', null, { trailers: parseRawHeaders(controller.rawTrailers) });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (error instanceof HungUp) this.#end(error.how, error.message);
    else {
      const how = errorCode(error) === 'UND_ERR_CONNECT_TIMEOUT' ? 'upstream-timeout' : 'upstream-reset';
      this.#end(how, connectionErrorMessage(error), {
        isUnreachable: isUnreachable(error),
        isStale: this.#head === null && isStale(error),
      });
    }
  }

  readonly #abort = (): void => this.#hangUp(new HungUp('client-abort', 'the run was stopped'));

  #startTimer(after: number, message: string): NodeJS.Timeout {
    return setTimeout(() => this.#hangUp(new HungUp('upstream-timeout', message)), after);
  }

  #checkSize(): void {
    if (this.#size >= this.#abortAfter) {
      this.#hangUp(new HungUp('client-abort', `hung up after ${this.#size} bytes`));
    } else if (this.#size > this.#maxBytes) {
      this.#hangUp(new HungUp('upstream-timeout', `body exceeds ${this.#maxBytes} bytes and has not ended`));
    }
  }

  #hangUp(error: HungUp): void {
    this.#controller?.abort(error);
    // undici may report nothing after an abort, and there is no controller until a socket is assigned.
    this.onResponseError(null, error);
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#startedAt) * 100) / 100;
  }

  #end(
    how: Ending['how'],
    detail: string | null,
    details: { trailers?: HeaderPairs; isUnreachable?: boolean; isStale?: boolean } = {},
  ): void {
    if (this.#isOver) return;
    const { trailers = [], isUnreachable = false, isStale = false } = details;
    this.#isOver = true;
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#silenceTimer);
    this.#signal?.removeEventListener('abort', this.#abort);
    const body = Body.from(Buffer.concat(this.#chunks));
    const response = this.#head && { ...this.#head, body, trailers, pieces: this.#pieces };
    this.#settle({ response, end: { how, detail, at: this.#elapsed() }, isUnreachable, isStale });
  }
}

/** Parses raw fields, which undici passes as a flat list, alternating names and values. */
function parseRawHeaders(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPairs {
  if (!Array.isArray(raw)) return [];
  return headerPairs(raw.map((field) => (typeof field === 'string' ? field : field.toString('latin1'))));
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

/** Whether the target could not be reached. Node reports one error for each address that a name resolves to. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnreachable);
  const code = errorCode(error);
  return code !== null && UNREACHABLE_CODES.has(code);
}

function isStale(error: unknown): boolean {
  if (error instanceof errors.SocketError) return (error.socket?.bytesRead ?? 0) > 0;
  return error instanceof Error && staleErrors.has(error);
}

function connectionErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return connectionErrorMessage(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const tlsMessage = tlsErrorMessage(error);
  if (tlsMessage !== null) return tlsMessage;
  const code = errorCode(error);
  return code === null || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}
