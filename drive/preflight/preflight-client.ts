import { STATUS_CODES } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { RequestHead } from '../../exchange/cassette/recording.ts';
import { DISCOVERY } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { CostClass } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { parseBaseUrl } from '../configuration/base-url.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import type { CallInput } from '../scenario/scenario.ts';
import { encodeRequest } from '../target/encode-request.ts';
import { LONGEST_WAIT_MS, parseRetryAfter, RateLimiter } from '../target/rate-limiter.ts';
import {
  type ConnectionChoice,
  type IncomingResponse,
  type OutgoingRequest,
  Target,
} from '../target/target.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** Requests are retried for this long after the first 429; a 429 whose retry would begin later is returned. */
const MAX_RATE_LIMIT_WAIT_MS = 300_000;
const REPORT_INTERVAL_MS = 5000;

/** Called when requests wait: `why` is a clause about the target, `most` the longest wait in seconds. */
export type WaitListener = (why: string, most: number) => void;

export interface PreflightListeners {
  /** Called when a 429 delays all requests by at least another second. */
  readonly onWait?: WaitListener;
  /** Called with the number of completed requests so far, at most every five seconds. */
  readonly onAnswers?: (answers: number) => void;
}

/** Statuses of a server that is still loading a model, or of a gateway in front of it. */
const STARTING_STATUSES: readonly number[] = [502, 503, 504];
/** How long to wait, in seconds, for a supervisor to restart the target. */
export const RESTART_SECONDS = 3;
const UNKNOWN_PATH = '/v1/assay-no-such-address';

export interface DiscoveryExchange {
  readonly head: RequestHead;
  /** The request body, not yet redacted; null for none. */
  readonly body: Uint8Array | null;
  readonly incoming: IncomingResponse;
}

/** Sends requests that show whether the target responds and what it offers. None of them is evidence. */
export class PreflightClient {
  readonly #configuration: RunConfiguration;
  readonly #target: Target;
  readonly #unknownPathResponses = new Map<OutgoingRequest['method'], Promise<IncomingResponse>>();
  #pendingList: Promise<IncomingResponse> | null = null;
  #list: IncomingResponse | null = null;
  #exchanges: DiscoveryExchange[] | null = [];
  readonly #rateLimiter: RateLimiter;
  readonly #listeners: PreflightListeners;
  #rateLimitDeadline: number | null = null;
  #answerCount = 0;
  #reportedAt = performance.now();

  constructor(configuration: RunConfiguration, listeners: PreflightListeners = {}) {
    this.#configuration = configuration;
    this.#listeners = listeners;
    this.#rateLimiter = new RateLimiter(configuration.rateLimit);
    const timeout = Math.min(TIMEOUT_MS, configuration.timeout * 1000);
    const timeouts = { connect: timeout, headers: timeout, idle: timeout, total: timeout };
    const limits = { ...timeouts, bodyBytes: MAX_BODY_BYTES, streamBytes: 1024 * 1024 };
    this.#target = new Target(parseBaseUrl(configuration.target.baseUrl), limits);
  }

  allows(cost: CostClass): boolean {
    return this.#configuration.allow.includes(cost);
  }

  /**
   * Sends one operation, or its path with another method; never rejects for a failure of the target. If the connection
   * closes without a response, waits up to `RESTART_SECONDS` until the target is reachable: it may have crashed.
   */
  async ask(operation: string, input: CallInput, method?: 'PUT'): Promise<IncomingResponse> {
    const outgoing = await encodeRequest(this.#configuration, operation, input);
    const incoming = await this.#send(method === undefined ? outgoing : { ...outgoing, method });
    if (isClosedUnanswered(incoming)) await this.awaitTarget(RESTART_SECONDS, new AbortController().signal);
    return incoming;
  }

  /** Returns the exchanges so far, for the trace. Drops later ones, which serve cleanup or check the connection. */
  takeExchanges(): readonly DiscoveryExchange[] {
    const exchanges = this.#exchanges ?? [];
    this.#exchanges = null;
    return exchanges;
  }

  async #send(outgoing: OutgoingRequest, isKept = isSent): Promise<IncomingResponse> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#rateLimiter.waitForTurn(undefined);
      const first = await this.#transfer(outgoing, 'kept', isKept);
      const incoming = first.isStale ? await this.#transfer(outgoing, 'new', isKept) : first;
      this.#countAnswer();
      const { response } = incoming;
      if (response?.status !== 429) return incoming;
      const now = performance.now();
      this.#rateLimitDeadline ??= now + MAX_RATE_LIMIT_WAIT_MS;
      const requested = parseRetryAfter(firstHeader(response.headers, 'retry-after'), Date.now());
      // The wait has a minimum even if the header asks for none, or names a date in the past.
      const wait = Math.max(requested ?? 0, Math.min(500 * 2 ** (attempt - 1), 30_000));
      if (wait > LONGEST_WAIT_MS || now + wait > this.#rateLimitDeadline) return incoming;
      if (this.#rateLimiter.hold(wait))
        this.#listeners.onWait?.('it answers 429 Too Many Requests', Math.ceil(wait / 1000));
    }
  }

  #countAnswer(): void {
    this.#answerCount += 1;
    if (performance.now() - this.#reportedAt < REPORT_INTERVAL_MS) return;
    this.#reportedAt = performance.now();
    this.#listeners.onAnswers?.(this.#answerCount);
  }

  async #transfer(
    outgoing: OutgoingRequest,
    connection: ConnectionChoice,
    isKept: typeof isSent,
  ): Promise<IncomingResponse> {
    const { method, target, body } = outgoing;
    const head = {
      method,
      target,
      headers: this.#target.sentHeaders(outgoing),
      scenario: DISCOVERY,
      after: this.#exchanges?.length ?? 0,
      since: performance.now(),
      began: Date.now(),
    };
    const incoming = await this.#target.send(outgoing, undefined, connection);
    // No preflight request has a body that is generated while it is sent.
    const bytes = body === null || 'chunks' in body ? null : body;
    if (isKept(incoming) && incoming.response?.status !== 429)
      this.#exchanges?.push({ head, body: bytes, incoming });
    return incoming;
  }

  /** The response to a path that no service has; requested once for each method. */
  fetchUnknownPath(method: OutgoingRequest['method']): Promise<IncomingResponse> {
    const operation = method === 'POST' ? 'createChatCompletion' : 'listModels';
    return getOrMake(this.#unknownPathResponses, method, async () => {
      const outgoing = await encodeRequest(this.#configuration, operation, {});
      return this.#send({ ...outgoing, method, target: UNKNOWN_PATH });
    });
  }

  /** Requests the list of models; returns why no response came, or null. Concurrent calls share one request. */
  async findUnreachableReason(): Promise<string | null> {
    this.#pendingList ??= this.#requestModels().finally(() => {
      this.#pendingList = null;
    });
    const list = await this.#pendingList;
    this.#list = list;
    return list.response === null ? (list.end.detail ?? list.end.how) : null;
  }

  async #requestModels(): Promise<IncomingResponse> {
    const outgoing = await encodeRequest(this.#configuration, 'listModels', {});
    // Responses of a target that is not ready are not kept: a run may wait for minutes.
    return this.#send(
      outgoing,
      ({ response }) => response !== null && !STARTING_STATUSES.includes(response.status),
    );
  }

  /** The status of the last response to `listModels`; null if none arrived, or none was requested. */
  get status(): number | null {
    return this.#list?.response?.status ?? null;
  }

  /** Distinct ids of the models in the last response to `listModels`; null if it is not a list of models. */
  get models(): readonly string[] | null {
    const response = this.#list?.response;
    const data = response?.status === 200 ? valueAt(jsonContent(response), '/data') : undefined;
    if (!Array.isArray(data)) return null;
    // as: an array of JSON holds JSON
    const ids = (data as readonly Json[]).map((model) => valueAt(model, '/id'));
    return [...new Set(ids.filter((id) => typeof id === 'string'))];
  }

  /**
   * Requests the list of models until the response is not 502, 503 or 504, which servers send while they load a model;
   * begins no request after `seconds`. Returns why the target is not ready; null if it is. If `seconds` is 0, any
   * response counts. Pauses grow from 50 ms to 1 s, so that a local server is found at once and a remote one is not
   * flooded. `onWait` is called with the first reason to wait, and whenever it changes.
   */
  async awaitTarget(
    seconds: number,
    signal: AbortSignal,
    onWait: (why: string) => void = () => {},
  ): Promise<string | null> {
    const deadline = performance.now() + seconds * 1000;
    let reported: string | null = null;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      const unreachable = await this.findUnreachableReason();
      const status = this.status ?? 0;
      const isStarting = seconds > 0 && STARTING_STATUSES.includes(status);
      const why = isStarting ? `it answers ${status} ${STATUS_CODES[status]}` : unreachable;
      if (why === null || signal.aborted || performance.now() + wait > deadline) return why;
      if (why !== reported) onWait(why);
      reported = why;
      await pause(wait, undefined, { signal }).catch(() => {});
    }
  }

  /** Requests in flight end as reset. */
  close(): Promise<void> {
    return this.#target.close();
  }
}

function isSent({ isUnreachable }: IncomingResponse): boolean {
  return !isUnreachable;
}

export function isClosedUnanswered({ response, end, isUnreachable }: IncomingResponse): boolean {
  return response === null && end.how === 'upstream-reset' && !isUnreachable;
}

/**
 * Status and body of a response without the parts that repeat the path or an invented id, so that two responses of one
 * handler compare equal. Null if no response arrived.
 */
export function responseShape({ response }: Pick<IncomingResponse, 'response'>): string | null {
  if (response === null) return null;
  const text = decodedContent(response)?.text ?? '';
  return `${response.status} ${text.replaceAll(/\bv1\\?\/[^\s"'<>&)]*/g, '').replaceAll(/assay-no-such-\w+/g, '')}`;
}

export function isUnknownPath(
  answer: Pick<IncomingResponse, 'response'>,
  unknown: Pick<IncomingResponse, 'response'>,
): boolean {
  return answer.response?.status === 404 && responseShape(answer) === responseShape(unknown);
}
