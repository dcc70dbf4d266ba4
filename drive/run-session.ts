import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Recording, RequestHead } from '../exchange/cassette/recording.ts';
import type { Exchange, HttpResponse, Probe } from '../exchange/exchange.ts';

import type { Json } from '../exchange/http/body.ts';
import { eventsOf } from '../exchange/http/event-stream.ts';
import { firstHeader } from '../exchange/http/headers.ts';
import type { CallUnderWay, Repeat, Stop } from '../exchange/note.ts';
import type { NoteContent } from '../exchange/trace.ts';
import { isJsonObject } from '../schemas/json.ts';
import { parseBaseUrl, targetPathOf } from './configuration/base-url.ts';
import type { RunConfiguration } from './configuration/configuration.ts';
import type { PreflightClient } from './preflight/preflight-client.ts';
import { type CallInput, RunStopped } from './scenario/scenario.ts';
import { encodeRequest } from './target/encode-request.ts';
import { type IncomingResponse, type OutgoingRequest, Target, type Timeouts } from './target/target.ts';

/** Where exchanges go: it redacts and stores them, and gives back what it stored. */
export interface ExchangeRecorder {
  /** Opens a recording before the first byte is sent, so that a crash leaves the request in the journal. */
  begin(head: RequestHead): Pick<Recording, 'id' | 'requestBody' | 'response' | 'piece' | 'end'>;
  /** Stores an event that is not an exchange, in order with the exchanges. */
  note(content: NoteContent): void;
}

/**
 * Consumption of a run. `bytes`: bodies of both directions; `tokens`: as the target reports them in `usage`.
 */
export interface RunCost {
  readonly requests: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** The scenario that a call belongs to. */
export interface CallPurpose {
  readonly scenario: string | null;
  /** Clean-up goes on when the run is over its budget or interrupted. */
  readonly cleanup?: boolean;
}

/** Tries of one call: the first and three repetitions. */
const ATTEMPTS = 4;
/**
 * Longest wait that a target can request by Retry-After. Milliseconds; a longer one leaves the 429 as the
 * answer.
 */
const LONGEST_WAIT = 120_000;
/** After this number of calls in a row without a response, the session checks whether the target is still there. */
const SILENT_CALLS = 3;

/** One run against one target: what all scenarios share. */
export class RunSession {
  readonly configuration: RunConfiguration;
  readonly #recorder: ExchangeRecorder;
  readonly #target: Target;
  readonly #rateLimiter: RateLimiter;
  readonly #retries = new RetryBudget();
  /** Aborted once the run is over: calls in progress end, cleanup excepted. */
  readonly #over = new AbortController();
  #stopped: Stop | null = null;
  #spent: RunCost = { requests: 0, bytes: 0, tokens: 0 };
  readonly #unanswered = new UnansweredCalls();
  readonly #preflight: PreflightClient;

  constructor(configuration: RunConfiguration, recorder: ExchangeRecorder, preflight: PreflightClient) {
    this.configuration = configuration;
    this.#recorder = recorder;
    this.#preflight = preflight;
    this.#target = new Target(parseBaseUrl(configuration.target.baseUrl), patience(configuration.timeout));
    this.#rateLimiter = new RateLimiter(configuration.rateLimit);
    setMaxListeners(0, this.#over.signal);
  }

  /** Why the run ended for everyone; null while it goes on. */
  get stopped(): Stop | null {
    return this.#stopped;
  }

  /** Consumption up to now, cleanup included. */
  get spent(): RunCost {
    return this.#spent;
  }

  /** Ends the run for everyone; the first reason counts. Calls in progress are aborted. */
  stop(stop: Stop): void {
    if (this.#stopped !== null) return;
    this.#stopped = stop;
    this.note({ note: 'stopped', ...stop });
    this.#over.abort();
  }

  /** Records a note in the trace. */
  note(content: NoteContent): void {
    this.#recorder.note(content);
  }

  /** Closes all connections. Exchanges that are still in progress end as aborted. */
  async close(): Promise<void> {
    await Promise.all([this.#target.close(), this.#preflight.close()]);
  }

  /**
   * One call, retried after 429, after 503 with Retry-After, and where the connection of a reading call was lost; not for a
   * target that answers 429 without end. Throws RunStopped when the run is over; everything else is in the exchange.
   */
  async exchange(purpose: CallPurpose, operation: string, input: CallInput): Promise<Exchange> {
    let exchange = await this.#attempt(purpose, operation, input);
    for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
      const repeat = repeatOf(exchange, attempt);
      if (repeat === null || !this.#retries.allows(operation)) break;
      this.#rateLimiter.hold(repeat.wait);
      const again = await this.#attempt(purpose, operation, input);
      this.note({ note: 'retry', exchange: again.id, of: exchange.id, repeat: repeat.repeat });
      exchange = again;
    }
    const asksForPatience = exchange.response?.status === 429;
    this.#retries.ended(operation, asksForPatience ? 'asked for patience' : 'answered');
    return exchange;
  }

  /** Gets an address on the target's own host, without credentials; null where it lies elsewhere. */
  async download(purpose: CallPurpose, url: string): Promise<Exchange | null> {
    const target = targetPathOf(parseBaseUrl(this.configuration.target.baseUrl), url);
    if (target === null) return null;
    const headers = [['user-agent', 'assay'] as const, ['accept', '*/*'] as const];
    return this.#send(purpose, { method: 'GET', target, headers, body: null }, null);
  }

  /** The answer to GET of a path that no service has, outside the trace. */
  unknownPath(): Promise<IncomingResponse> {
    return this.#preflight.unknownPath('GET');
  }

  async #attempt(purpose: CallPurpose, operation: string, input: CallInput): Promise<Exchange> {
    const outgoing = await encodeRequest(this.configuration, operation, input);
    return this.#send(purpose, outgoing, input.probe === undefined ? null : { ...input.probe, operation });
  }

  async #send(purpose: CallPurpose, outgoing: OutgoingRequest, probe: Probe | null): Promise<Exchange> {
    const stop = purpose.cleanup ? undefined : this.#over.signal;
    // A target that is gone is not waited for again for each object.
    if (this.#stopped?.reason === 'target-died') throw new RunStopped(this.#stopped.reason);
    await this.#admit(stop);
    const { method, target, body } = outgoing;
    const headers = this.#target.sent(outgoing);
    const recording = this.#recorder.begin({ method, target, headers, scenario: purpose.scenario, probe });
    let isOver = false;
    const note = (bytes: Uint8Array): void => {
      // Bytes that are sent after the response are not part of the request that it answers.
      if (!isOver) recording.requestBody(bytes);
    };
    const ended = this.#unanswered.begin({
      ...{ method, target, exchange: recording.id },
      ...(probe?.side === 'violation' && { invalid: true }),
    });
    const incoming = await this.#target.send({ ...outgoing, body: noted(body, note) }, stop);
    ended(incoming.response === null ? 'silent' : 'answered');
    isOver = true;
    const exchange = await store(recording, incoming);
    this.#count(exchange);
    if (stop !== undefined) await this.#mind(incoming);
    if (stop?.aborted) throw new RunStopped(this.#stopped?.reason);
    return exchange;
  }

  /**
   * Checks the budget and waits for the rate limit. The request is counted before it is sent, so that
   * concurrent calls cannot exceed the budget together.
   */
  async #admit(stop: AbortSignal | undefined): Promise<void> {
    const { maxRequests, maxTokens } = this.configuration;
    const { requests, tokens } = this.#spent;
    if (stop !== undefined) {
      if (maxRequests !== null && requests >= maxRequests)
        this.stop({ reason: 'budget', limit: 'requests', most: maxRequests });
      if (maxTokens !== null && tokens >= maxTokens)
        this.stop({ reason: 'budget', limit: 'tokens', most: maxTokens });
      if (stop.aborted) throw new RunStopped(this.#stopped?.reason);
    }
    this.#spent = { ...this.#spent, requests: requests + 1 };
    try {
      await this.#rateLimiter.turn(stop);
    } catch {
      throw new RunStopped(this.#stopped?.reason);
    }
  }

  /** Adds the bytes and tokens of an exchange. */
  #count(exchange: Exchange): void {
    const { requests, bytes, tokens } = this.#spent;
    const { request, response } = exchange;
    this.#spent = {
      requests,
      bytes: bytes + request.body.size + (response?.body.size ?? 0),
      tokens: tokens + (response === null ? 0 : tokensUsed(response)),
    };
  }

  /** Distinguishes a target that is gone from one that dropped a call. */
  async #mind(incoming: IncomingResponse): Promise<void> {
    if (incoming.response !== null) return;
    const timedOut = incoming.end.how === 'upstream-timeout';
    if (this.#stopped !== null || (timedOut && !incoming.refused && this.#unanswered.silent < SILENT_CALLS))
      return;
    const missing = await this.#preflight.missing();
    if (missing === null) return;
    this.stop({ reason: 'target-died', detail: missing, underWay: this.#unanswered.list() });
  }
}

/** The body, whose bytes are recorded as well: at once, or as they are sent. */
function noted(body: OutgoingRequest['body'], note: (bytes: Uint8Array) => void): OutgoingRequest['body'] {
  if (body === null) return null;
  if (!('chunks' in body)) {
    note(body);
    return body;
  }
  const { size, chunks } = body;
  async function* tapped(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      note(chunk);
      yield chunk;
    }
  }
  return { size, chunks: tapped() };
}

/** Hands over what came back, piece by piece, and takes the redacted exchange. */
async function store(
  recording: ReturnType<ExchangeRecorder['begin']>,
  incoming: IncomingResponse,
): Promise<Exchange> {
  const { response, end } = incoming;
  if (response !== null) {
    recording.response(response);
    const bytes = response.body.bytes ?? new Uint8Array(0);
    for (const [i, { offset, at }] of response.pieces.entries()) {
      recording.piece(bytes.subarray(offset, response.pieces[i + 1]?.offset), at);
    }
  }
  const exchange = await recording.end({ ...end, trailers: response?.trailers ?? [] });
  if (exchange === null) throw new Error('The cassette of a run collects its exchanges.');
  return exchange;
}

/**
 * Limits of one exchange in milliseconds and bytes: 64 MiB for a body, 4 MiB for a stream, since a stream
 * that grows further never ends.
 */
function patience(timeout: number): Timeouts {
  const whole = timeout * 1000;
  const [bytes, streamed] = [64 * 1024 * 1024, 4 * 1024 * 1024];
  return { connect: Math.min(whole, 10_000), headers: whole, idle: whole, whole, bytes, streamed };
}

/** Whether, after which pause and why a call is made again; null when its answer stands. */
function repeatOf(
  exchange: Exchange,
  attempt: number,
): { readonly wait: number; readonly repeat: Repeat } | null {
  const { request, response, end } = exchange;
  // A kept connection may close just when it is used again, which is not a failure; a reading request can be sent twice without harm.
  if (response === null) {
    const closed = attempt === 1 && request.method === 'GET' && end.how === 'upstream-reset';
    return closed ? { wait: 0, repeat: { why: 'closed', detail: end.detail } } : null;
  }
  if (response.status !== 429 && response.status !== 503) return null;
  const asked = retryAfter(firstHeader(response.headers, 'retry-after'), Date.now());
  if (asked === null && response.status === 503) return null;
  const wait = asked ?? 500 * 2 ** (attempt - 1);
  if (wait > LONGEST_WAIT) return null;
  return { wait, repeat: { why: 'patience', status: response.status, seconds: wait / 1000 } };
}

/** When the next request may go out: at most so many in a second, and none before a target asked us to wait for. */
export class RateLimiter {
  /** Milliseconds between two requests. */
  readonly #gap: number;
  /** Earliest time of the next request, by `performance.now()`. */
  #next = 0;

  /** `rate` in requests per second; null for as fast as it goes. */
  constructor(rate: number | null) {
    this.#gap = rate === null ? 0 : 1000 / rate;
  }

  /** Resolves when the caller may send; rejects with an AbortError when stopped before. */
  async turn(stop: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gap;
    if (at > now) await pause(at - now, undefined, stop === undefined ? {} : { signal: stop });
  }

  /** Delays all requests by so many milliseconds. */
  hold(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds);
  }
}

/** Milliseconds that a `Retry-After` value asks for (seconds, or a date of HTTP), or null when it says nothing. */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Limits on calls in a row, of one operation and of all, that end with 429 after all retries; beyond them the next is not retried. */
const IN_A_ROW = { ofOne: 5, ofAll: 20 } as const;

/**
 * Decides which calls are retried. Each wait delays all requests, so with a target that always answers 429 a run would last
 * for hours. The first answer of another kind allows retries again.
 */
export class RetryBudget {
  readonly #ofOne = new Map<string, number>();
  #ofAll = 0;

  /** Whether a call of this operation is made again. */
  allows(operation: string): boolean {
    return this.#ofAll < IN_A_ROW.ofAll && (this.#ofOne.get(operation) ?? 0) < IN_A_ROW.ofOne;
  }

  /** A call has ended: with another answer, or with 429 after all its retries. */
  ended(operation: string, how: 'answered' | 'asked for patience'): void {
    const isAnswered = how === 'answered';
    this.#ofAll = isAnswered ? 0 : this.#ofAll + 1;
    this.#ofOne.set(operation, isAnswered ? 0 : (this.#ofOne.get(operation) ?? 0) + 1);
  }
}

/** Tokens that an answer says it used: `usage.total_tokens` of the body, or the most that one event of a stream names. */
export function tokensUsed(response: HttpResponse): number {
  // Few responses contain it, and most others are not parsed elsewhere.
  if (!response.body.text?.includes('usage')) return 0;
  const stream = eventsOf(response);
  if (stream === null) return total(response.body.json?.value);
  return stream.events.reduce((most, event) => Math.max(most, total(event.json?.value)), 0);
}

/** Only a positive number counts: a target may send anything in this place. */
function total(value: Json | undefined): number {
  const usage = field(value, 'usage');
  const tokens = field(usage, 'total_tokens');
  return typeof tokens === 'number' && tokens > 0 ? tokens : 0;
}

/** A member of a JSON object; undefined for any other value. */
function field(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** Calls that are named of a target that died. */
const NAMED = 20;

/** A request that is about to be sent. */
interface StartedCall extends Pick<CallUnderWay, 'method' | 'exchange' | 'invalid'> {
  /** Path and query. */
  readonly target: string;
}

/** Calls that are under way, and those that ended without an answer since the last answer of the target. */
export class UnansweredCalls {
  readonly #open = new Set<CallUnderWay>();
  readonly #silent: CallUnderWay[] = [];

  /** Number of calls in a row without an answer. */
  get silent(): number {
    return this.#silent.length;
  }

  /** A call begins; the function returned takes how it ended. */
  begin({ target, ...rest }: StartedCall): (end: 'answered' | 'silent') => void {
    const call = { ...rest, path: target.split('?', 1)[0] ?? target };
    this.#open.add(call);
    return (end) => {
      this.#open.delete(call);
      if (end === 'answered') this.#silent.length = 0;
      else this.#silent.push(call);
    };
  }

  /** All of them, invalid requests first, which targets die of more often; among equals those without an answer. */
  list(): readonly CallUnderWay[] {
    const all = [...this.#silent, ...this.#open];
    const isInvalid = ({ invalid }: CallUnderWay) => invalid === true;
    return [...all.filter(isInvalid), ...all.filter((call) => !isInvalid(call))].slice(0, NAMED);
  }
}
