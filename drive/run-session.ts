import { createHash, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { RequestHead } from '../exchange/cassette/recording.ts';
import type { Exchange, Probe } from '../exchange/exchange.ts';
import { isCutShort } from '../exchange/http/content.ts';
import type { Hint, Stop } from '../exchange/note.ts';
import type { NoteContent } from '../exchange/trace.ts';
import { operation as operationOf } from '../schemas/index.ts';
import { deletionPlanOf, leavesNothingBehind } from './cleanup/deletion-plan.ts';
import { parseBaseUrl, targetPathOf } from './configuration/base-url.ts';
import type { RunConfiguration } from './configuration/configuration.ts';
import { type PreflightClient, RESTART_SECONDS, type WaitListener } from './preflight/preflight-client.ts';
import { type CallInput, RequestNotSent, RunStopped } from './scenario/scenario.ts';
import { encodeRequest } from './target/encode-request.ts';
import { RandomErrors } from './target/random-errors.ts';
import { RateLimiter } from './target/rate-limiter.ts';
import { type ExchangeRecording, recordBody, storeResponse } from './target/record-transfer.ts';
import { ATTEMPTS_AFTER_FAILURE, isTransient, planRetry, RetryBudget } from './target/retries.ts';
import { SendTurns } from './target/send-turns.ts';
import {
  type ConnectionChoice,
  type IncomingResponse,
  type OutgoingRequest,
  Target,
} from './target/target.ts';
import { tokensUsed } from './target/tokens-used.ts';
import { type CallEnd, UnansweredCalls } from './target/unanswered-calls.ts';

export interface ExchangeRecorder {
  /** Opens a recording before the first byte is sent, so that a crash leaves the request in the journal. */
  begin(head: RequestHead): ExchangeRecording;
  note(content: NoteContent): void;
}

export interface RunCost {
  /** Number of requests with retries and cleanup, without discovery; each counts before it is sent. */
  readonly requests: number;
  /** Size of the bodies in both directions. */
  readonly bytes: number;
  /** Sum of `usage.total_tokens` as the target reports it. */
  readonly tokens: number;
}

export interface CallPurpose {
  /** Name of the scenario that sends the call; null outside of a scenario. */
  readonly scenario: string | null;
  /** True for calls of the cleanup, which continues when the run is over its budget or interrupted. */
  readonly cleanup?: boolean;
  /**
   * Called before a retry of a request that may have created an object although it got no response. Absent if the
   * object would lack the tag by which cleanup finds it.
   */
  readonly mayHaveCreated?: () => void;
}

const ATTEMPTS = 4;
/** After this many consecutive calls without a response, a timeout leads to a check that the target is reachable. */
const SILENT_CALLS_BEFORE_CHECK = 3;
const MAX_RESTARTS = 20;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Maximum size in bytes of a stream; a larger one counts as endless. */
const MAX_STREAM_BYTES = 4 * 1024 * 1024;

export class RunSession {
  readonly configuration: RunConfiguration;
  /** Operations whose poll ended at its deadline, unless the last response was a success with a field `status`. */
  readonly lateOperations = new Set<string>();
  readonly #recorder: ExchangeRecorder;
  readonly #target: Target;
  readonly #rateLimiter: RateLimiter;
  readonly #retries = new RetryBudget();
  /** Aborted once the run is over: calls in progress end, except calls of the cleanup. */
  readonly #runEnded = new AbortController();
  #stopped: Stop | null = null;
  #spent: RunCost = { requests: 0, bytes: 0, tokens: 0 };
  readonly #unanswered = new UnansweredCalls();
  readonly #preflight: PreflightClient;
  readonly #onWait: WaitListener;
  readonly #turns = new SendTurns();
  #restarts = 0;
  #pendingReturn: Promise<void> | null = null;
  readonly #crashes = new Map<string, Exchange>();
  readonly #randomErrors = new RandomErrors();

  constructor(
    configuration: RunConfiguration,
    recorder: ExchangeRecorder,
    preflight: PreflightClient,
    onWait: WaitListener = () => {},
  ) {
    this.configuration = configuration;
    this.#onWait = onWait;
    this.#recorder = recorder;
    this.#preflight = preflight;
    const timeout = configuration.timeout * 1000;
    this.#target = new Target(parseBaseUrl(configuration.target.baseUrl), {
      connect: Math.min(timeout, 10_000),
      headers: timeout,
      idle: timeout,
      total: timeout,
      bodyBytes: MAX_BODY_BYTES,
      streamBytes: MAX_STREAM_BYTES,
    });
    this.#rateLimiter = new RateLimiter(configuration.rateLimit);
    setMaxListeners(0, this.#runEnded.signal);
  }

  /** Why the run ended for all scenarios; null while it continues. */
  get stopped(): Stop | null {
    return this.#stopped;
  }

  /** A hint about requests that got 5xx, and another status when they were retried; null if there are none. */
  get randomErrors(): Hint | null {
    return this.#randomErrors.hint;
  }

  get spent(): RunCost {
    return this.#spent;
  }

  /** Ends the run for all scenarios; the first reason counts. Calls in progress are aborted, except in cleanup. */
  stop(stop: Stop): void {
    if (this.#stopped !== null) return;
    this.#stopped = stop;
    this.note({ note: 'stopped', ...stop });
    this.#runEnded.abort();
  }

  note(content: NoteContent): void {
    this.#recorder.note(content);
  }

  /** Exchanges that are still in progress end as reset. */
  async close(): Promise<void> {
    await Promise.all([this.#target.close(), this.#preflight.close()]);
  }

  /**
   * Sends one call, and retries it within the retry budget: after a response as `planRetry` decides, and without one if
   * `#isRepeatable` allows it, or if the target was gone and is back. A retry after a stale connection does not count.
   * After a closed connection, no other request is in flight with the retry. A request that crashed the target when
   * sent alone is not sent again: its exchange is returned. The trace has a note on each retry. Rejects with RunStopped
   * once the run is over (in cleanup, once the target is gone); any other failure of the target is in the exchange.
   */
  async sendCall(purpose: CallPurpose, operation: string, input: CallInput): Promise<Exchange> {
    const probe = input.probe === undefined ? null : { ...input.probe, operation };
    let mayHaveCreated = false;
    const attempt = async (connection: ConnectionChoice, isAlone = false) => {
      const outgoing = await encodeRequest(this.configuration, operation, input);
      const crash = this.#crashes.size === 0 ? undefined : this.#crashes.get(contentKey(outgoing));
      if (crash !== undefined) return { exchange: crash, outcome: 'known' as const, isBack: false };
      if (mayHaveCreated) purpose.mayHaveCreated?.();
      const restarts = this.#restarts;
      const attempted = await this.#send(purpose, outgoing, { probe, connection, isAlone });
      const isBack = attempted.exchange.response === null && restarts !== this.#restarts;
      if (isAlone && isBack && attempted.outcome === 'closed')
        this.#crashes.set(contentKey(outgoing), attempted.exchange);
      return { ...attempted, isBack };
    };
    const errors: Exchange[] = [];
    let { exchange, outcome, isBack } = await attempt('kept');
    for (let n = 1; n < ATTEMPTS || outcome === 'stale'; ) {
      const isStale = outcome === 'stale';
      const isRepeatable =
        isStale || isBack || this.#isRepeatable(operation, exchange, { attempt: n, purpose });
      const retry = outcome === 'known' ? null : planRetry(exchange, n, isRepeatable);
      if (retry === null || !(isStale || this.#retries.allows(operation))) break;
      if (!retry.isForAll && retry.repeat.why === 'patience') errors.push(exchange);
      // A rate limit applies to all requests, a failure to one.
      if (!retry.isForAll) await pause(retry.wait);
      else if (this.#rateLimiter.hold(retry.wait))
        this.#onWait(`it answers ${exchange.response?.status} to ${operation}`, Math.ceil(retry.wait / 1000));
      // Sending the request alone shows whether this request made the target close the connection, or another one did.
      const isAlone = outcome === 'closed' || outcome === 'refused';
      mayHaveCreated = (outcome === 'closed' || outcome === 'silent') && !isCutShort(exchange.request);
      const again = await attempt(retry.repeat.why === 'closed' ? 'new' : 'kept', isAlone);
      if (again.exchange === exchange) break;
      this.note({ note: 'retry', exchange: again.exchange.id, of: exchange.id, repeat: retry.repeat });
      ({ exchange, outcome, isBack } = again);
      // A stale connection is not the target's fault, so it does not count. A new connection is never stale.
      if (!isStale) n += 1;
    }
    this.#retries.recordEnd(operation, isTransient(exchange) ? 'unserved' : 'served');
    if (exchange.response !== null && !isTransient(exchange)) this.#randomErrors.add(operation, errors);
    return exchange;
  }

  /**
   * Whether a request without a response may be retried, although it may have created an object. After a reset, cleanup
   * must be able to find that object. After a timeout, a request that needs cleanup is not retried, and any other at
   * most once, because each wait is long.
   */
  #isRepeatable(
    operation: string,
    { request, end }: Exchange,
    { attempt, purpose }: { readonly attempt: number; readonly purpose: CallPurpose },
  ): boolean {
    if (attempt >= ATTEMPTS_AFTER_FAILURE) return false;
    const definition = operationOf(operation);
    if (end.how === 'upstream-reset')
      // A target that has not received the whole request has created nothing.
      return (
        request.method === 'GET' ||
        isCutShort(request) ||
        leavesNothingBehind(definition, purpose.mayHaveCreated !== undefined)
      );
    if (end.how !== 'upstream-timeout' || attempt > 1 || !this.#retries.isServed(operation)) return false;
    return request.method === 'GET' || deletionPlanOf(definition) === null;
  }

  /** Downloads without credentials; null if the URL has another origin or path prefix than the base URL. */
  async download(purpose: CallPurpose, url: string): Promise<Exchange | null> {
    const target = targetPathOf(parseBaseUrl(this.configuration.target.baseUrl), url);
    if (target === null) return null;
    const headers = [['user-agent', 'assay'] as const, ['accept', '*/*'] as const];
    const outgoing = { method: 'GET', target, headers, body: null } as const;
    // A kept connection may be stale, and a download is not retried.
    const options = { probe: null, connection: 'new', isAlone: false } as const;
    return (await this.#send(purpose, outgoing, options)).exchange;
  }

  /** The request is not part of the trace. */
  fetchUnknownPath(): Promise<IncomingResponse> {
    return this.#preflight.fetchUnknownPath('GET');
  }

  async #send(
    purpose: CallPurpose,
    outgoing: OutgoingRequest,
    { probe, connection, isAlone }: SendOptions,
  ): Promise<{ readonly exchange: Exchange; readonly outcome: CallEnd | 'stale' }> {
    const signal = purpose.cleanup ? undefined : this.#runEnded.signal;
    // Cleanup does not wait again for each object of a target that is gone.
    if (this.#stopped?.reason === 'target-died') throw new RequestNotSent(this.#stopped.reason);
    await this.#admit(signal);
    await this.#turns.enter(isAlone);
    let transfer: { readonly exchange: Exchange; readonly incoming: IncomingResponse };
    try {
      await this.#pendingReturn;
      transfer = await this.#transfer(purpose, outgoing, { probe, connection, isAlone }, signal);
      // The next request must not find the port closed.
      if (isAlone) await this.#awaitTarget(transfer.incoming);
    } finally {
      this.#turns.leave(isAlone);
    }
    const { exchange, incoming } = transfer;
    this.#addCost(exchange);
    if (signal === undefined) await this.#pendingReturn;
    else if (!isAlone) await this.#awaitTarget(incoming);
    if (signal?.aborted) throw new RunStopped(this.#stopped?.reason);
    return { exchange, outcome: incoming.isStale ? 'stale' : classifyEnd(incoming) };
  }

  async #transfer(
    { scenario }: CallPurpose,
    outgoing: OutgoingRequest,
    { probe, connection }: SendOptions,
    signal: AbortSignal | undefined,
  ) {
    const { method, target, body } = outgoing;
    const headers = this.#target.sentHeaders(outgoing);
    const recording = this.#recorder.begin({ method, target, headers, scenario, probe });
    const [path = target] = target.split('?', 1);
    const endCall = this.#unanswered.begin({
      method,
      path,
      exchange: recording.id,
      ...(probe?.side === 'violation' && { invalid: true }),
    });
    let isAnswered = false;
    const record = (bytes: Uint8Array): void => {
      // Bytes sent after the response are not part of the request.
      if (!isAnswered) recording.requestBody(bytes);
    };
    const recorded = { ...outgoing, body: recordBody(body, record) };
    const incoming = await this.#target.send(recorded, signal, connection);
    endCall(classifyEnd(incoming));
    isAnswered = true;
    // Recorded before the next request is admitted, so that a request that was sent alone is also alone in the trace.
    return { exchange: await storeResponse(recording, incoming), incoming };
  }

  async #admit(signal: AbortSignal | undefined): Promise<void> {
    const { maxRequests, maxTokens } = this.configuration;
    const { requests, tokens } = this.#spent;
    if (signal !== undefined) {
      if (maxRequests !== null && requests >= maxRequests)
        this.stop({ reason: 'budget', limit: 'requests', most: maxRequests });
      if (maxTokens !== null && tokens >= maxTokens)
        this.stop({ reason: 'budget', limit: 'tokens', most: maxTokens });
      if (signal.aborted) throw new RequestNotSent(this.#stopped?.reason);
    }
    this.#spent = { ...this.#spent, requests: requests + 1 };
    try {
      await this.#rateLimiter.waitForTurn(signal);
    } catch {
      throw new RequestNotSent(this.#stopped?.reason);
    }
  }

  #addCost({ request, response }: Exchange): void {
    const { requests, bytes, tokens } = this.#spent;
    this.#spent = {
      requests,
      bytes: bytes + request.body.size + (response?.body.size ?? 0),
      tokens: tokens + (response === null ? 0 : tokensUsed(response)),
    };
  }

  async #awaitTarget({ response, end, isUnreachable, isStale }: IncomingResponse): Promise<void> {
    if (response !== null || isStale || this.#stopped !== null) return;
    const isTimeout = end.how === 'upstream-timeout' && !isUnreachable;
    if (isTimeout && this.#unanswered.silentCount < SILENT_CALLS_BEFORE_CHECK) return;
    this.#pendingReturn ??= this.#awaitRestart().finally(() => {
      this.#pendingReturn = null;
    });
    await this.#pendingReturn;
  }

  async #awaitRestart(): Promise<void> {
    const reason = await this.#preflight.findUnreachableReason();
    if (reason === null) return;
    const underWay = this.#unanswered.list();
    const { waitFor } = this.configuration;
    const isLost =
      this.#restarts === MAX_RESTARTS ||
      (await this.#preflight.awaitTarget(Math.max(RESTART_SECONDS, waitFor), this.#runEnded.signal)) !== null;
    if (isLost) this.stop({ reason: 'target-died', detail: reason, underWay });
    else this.#restarts += 1;
  }
}

interface SendOptions {
  readonly probe: Probe | null;
  readonly connection: ConnectionChoice;
  readonly isAlone: boolean;
}

/** Equal for identical requests; a body that is generated while it is sent equals no other. */
function contentKey({ method, target, headers, body }: OutgoingRequest): string {
  const digest = createHash('sha256').update(JSON.stringify(headers));
  if (body !== null) digest.update('chunks' in body ? randomUUID() : body);
  return `${method} ${target} ${digest.digest('hex')}`;
}

function classifyEnd({ response, end, isUnreachable }: IncomingResponse): CallEnd {
  if (response !== null) return 'answered';
  if (isUnreachable) return 'refused';
  return end.how === 'upstream-reset' ? 'closed' : 'silent';
}
