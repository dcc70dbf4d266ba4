import { openCassette } from '../../exchange/cassette/cassette.ts';
import { hasChangedResponse, withTrustedMarks } from '../../exchange/disturbed.ts';
import {
  DISCOVERY,
  type Exchange,
  type HeaderPairs,
  type HttpRequest,
  type HttpResponse,
} from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { contentCodings, decodedContent } from '../../exchange/http/content.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { hasHeader } from '../../exchange/http/headers.ts';
import { tlsErrorMessage } from '../../exchange/http/tls-error.ts';
import {
  CREDENTIAL_HEADERS,
  equateAliases,
  hasCredentials,
  SCOPE_HEADER,
} from '../../exchange/matching/request-key.ts';
import { addedHeaders, secretsInHeaders } from '../../exchange/redaction/added-headers.ts';
import { filterWhole } from '../../exchange/redaction/byte-filter.ts';
import { createSentBodyFilter } from '../../exchange/redaction/compressed-body.ts';
import { Redactor, type RedactorOptions } from '../../exchange/redaction/redactor.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { matchOperation } from '../../schemas/index.ts';
import { parseUserPointer } from '../../schemas/pointer.ts';
import { ClosedConnection, sendRequest } from '../http/send-request.ts';
import { parseUpstream, type Upstream } from '../http/upstream.ts';
import { remoteUrl } from '../http/url-rewriter.ts';
import { describeMissingRules, withRules } from '../replay/redaction.ts';
import { findDrifts } from './drift.ts';
import { IdMap } from './id-map.ts';
import type { Drift } from './value-drift.ts';

export interface VerifyOptions {
  /** Folder of the cassette. */
  readonly cassette: string;
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Replaces the key of requests that had one; without it, only `headers` give credentials. */
  readonly key?: string | null;
  /** Fields sent with every request; they override recorded ones. Values are secrets, except in safe fields. */
  readonly headers?: HeaderPairs;
  /** Redaction before values are compared, as when recording. Default environment: `process.env`. */
  readonly redaction?: RedactorOptions;
  /** JSON pointers into responses whose values may differ, `*` for any member. */
  readonly ignore?: readonly string[];
  /** Seconds of silence after which a request fails. Default: 60. */
  readonly timeout?: number;
  /** Called with the header of the cassette before anything is sent; an error that it throws ends the verification. */
  readonly onHeader?: (header: TraceHeader) => void;
  /** Called for every exchange, except those of discovery, after it has been sent or skipped. */
  readonly onExchange?: (verified: VerifiedExchange) => void;
}

export interface VerifiedExchange {
  readonly exchange: string;
  readonly method: string;
  /** Path and query as recorded; the request that is sent has the current identifiers. */
  readonly target: string;
  /** Why the responses were not compared; null if they were, or if the lack of a response is a drift. */
  readonly skipped: string | null;
  /** Status of the current response; null if none arrived. */
  readonly status: number | null;
  /** Differences from the recorded response; empty if `skipped` is not null. */
  readonly drifts: readonly Drift[];
  /** Set if the service closed the connection without a response. */
  readonly isClosed?: true;
}

export interface VerifyReport {
  /** Number of requests sent. */
  readonly sent: number;
  /** Number of exchanges that were not sent, because they cannot be verified. */
  readonly skipped: number;
  /** Exchanges whose response differs, in recorded order. */
  readonly drifted: readonly VerifiedExchange[];
  /** Phrase for redaction rules of the recording that were not given: values they replaced may drift. Null for none. */
  readonly missingRules: string | null;
  /** Number of requests on which the service closed the connection without a response. */
  readonly closed: number;
  /** Why no request got a response; null if one did, or none was sent. */
  readonly unreachable: string | null;
}

/** Recorded fields that are not sent: the recording has only aliases of credentials, and the scope is for the proxy. */
const UNSENT_FIELDS = [...CREDENTIAL_HEADERS, 'cookie', SCOPE_HEADER];
/** Query parameters in which clients send their key; signatures and passwords are not keys. */
const KEY_IN_TARGET = /([?&](?:api[-_]?key|key|access[-_]?token|token)=)([^&#]+)/gi;

/** Minimum length, in UTF-16 code units, of a text that a request body does not contain by chance. */
const MIN_SENT_LENGTH = 6;

/**
 * Requests are sent in sequence; identifiers in responses replace recorded ones in later requests. Rejects with
 * CassetteError if the cassette cannot be read, InvalidHeader if a field of `headers` is invalid, and TypeError if the
 * base URL or a pointer is.
 */
export async function verifyCassette(options: VerifyOptions): Promise<VerifyReport> {
  const upstream = parseUpstream(options.baseUrl);
  const cassette = await openCassette(options.cassette);
  try {
    const redaction = withRules([cassette.header], options.redaction);
    const verifier = new Verifier(upstream, cassette.header.betaHeader, { ...options, redaction });
    const drifted: VerifiedExchange[] = [];
    let [sent, skipped, answered, closed] = [0, 0, 0, 0];
    options.onHeader?.(cassette.header);
    for (let k = 0; k < cassette.size; k += 1) {
      const exchange = cassette.exchange(k);
      // Discovery sends malformed requests, which are not client traffic.
      if (exchange.scenario === DISCOVERY) continue;
      const verified = await verifier.verify(withTrustedMarks(exchange, cassette.header));
      options.onExchange?.(verified);
      if (verified.isClosed === true) closed += 1;
      if (verified.skipped === null || verified.isClosed === true) sent += 1;
      else skipped += 1;
      if (verified.status !== null) answered += 1;
      if (verified.drifts.length > 0) drifted.push(verified);
    }
    const unreachable = answered === 0 ? verifier.silenceReason : null;
    const missingRules = describeMissingRules([cassette.header], redaction);
    return { sent, skipped, drifted, closed, missingRules, unreachable };
  } finally {
    cassette.close();
  }
}

class Verifier {
  readonly #upstream: Upstream;
  readonly #betaHeader: string;
  readonly #options: VerifyOptions;
  readonly #ids = new IdMap();
  readonly #redactor: Redactor;
  readonly #headers: HeaderPairs;
  readonly #ignore: readonly (readonly string[])[];
  readonly #uploads: Uint8Array[] = [];
  silenceReason: string | null = null;

  constructor(upstream: Upstream, betaHeader: string, options: VerifyOptions) {
    this.#upstream = upstream;
    this.#betaHeader = betaHeader;
    this.#options = options;
    const { key = null, redaction = {}, headers = [] } = options;
    const secrets = [
      ...(key === null ? [] : [key]),
      ...secretsInHeaders(headers),
      ...(redaction.secrets ?? []),
    ];
    this.#headers = addedHeaders(null, headers);
    this.#redactor = new Redactor({ environment: process.env, ...redaction, secrets });
    this.#ignore = (options.ignore ?? []).map(parseUserPointer);
  }

  /** The lack of a response is a drift, or a skip if the service closed the connection; never an error. */
  async verify(exchange: Exchange): Promise<VerifiedExchange> {
    const { id, request, response } = exchange;
    const { method, target } = request;
    const common = { exchange: id, method, target, skipped: null, status: null };
    const reason = findSkipReason(exchange);
    if (reason !== null || response === null) return { ...common, skipped: reason, drifts: [] };
    const recorded = comparableResponse(response);
    let current: HttpResponse;
    try {
      current = comparableResponse(this.#redact(await this.#send(exchange)));
    } catch (error) {
      this.silenceReason = reasonForSilence(error);
      if (error instanceof ClosedConnection) {
        const skipped = `the service closed the connection without a response (${this.silenceReason})`;
        return { ...common, skipped, drifts: [], isClosed: true };
      }
      const now = `no response: ${this.silenceReason}`;
      return { ...common, drifts: [{ kind: 'status', at: 'status', recorded: recorded.status, now }] };
    }
    const isSent = sentTextTest(request);
    this.#learn(recorded, current, isSent);
    if (isUpload(request) && request.body.bytes !== null) this.#uploads.push(request.body.bytes);
    const drifts = findDrifts(request, recorded, current, {
      ignore: this.#ignore,
      ids: this.#ids,
      uploads: this.#uploads,
      isSent,
      betaHeader: this.#betaHeader,
    });
    return { ...common, status: current.status, drifts };
  }

  #send({ request }: Exchange): Promise<HttpResponse> {
    const { method, headers, body } = request;
    // Identifiers are ASCII, so bytes that are not text stay as they are.
    const bytes = Buffer.from(this.#ids.apply(Buffer.from(body.bytes ?? []).toString('latin1')), 'latin1');
    const keptHeaders = headers.filter(
      ([name, value]) =>
        !UNSENT_FIELDS.includes(name.toLowerCase()) && value !== '' && !value.startsWith('redacted_'),
    );
    const { key = null, timeout = 60 } = this.#options;
    const credentials: HeaderPairs =
      key === null || !hasCredentials(request) ? [] : [['Authorization', `Bearer ${key}`]];
    const sentHeaders: HeaderPairs = [
      ...[...keptHeaders, ...credentials].filter(([name]) => !hasHeader(this.#headers, name)),
      ...this.#headers,
    ];
    const target = this.#targetWithKey(request);
    return sendRequest(this.#upstream, { method, target, headers: sentHeaders, body: bytes }, timeout * 1000);
  }

  /** The target with current identifiers, and with the key in place of the recorded one unless a header carries it. */
  #targetWithKey(request: HttpRequest): string {
    const target = this.#ids.apply(request.target);
    const { key = null } = this.#options;
    if (key === null || hasCredentials(request)) return target;
    return target.replaceAll(KEY_IN_TARGET, (match, lead: string, value: string) =>
      value.startsWith('redacted_') ? `${lead}${encodeURIComponent(key)}` : match,
    );
  }

  /** Redacts a response as the recorder does, because a drift must not print a secret. */
  #redact(response: HttpResponse): HttpResponse {
    const headers = this.#redactor.redactHeaders(response.headers);
    const isPlainStream = isEventStream(response) && contentCodings(headers).length === 0;
    const filter = isPlainStream
      ? this.#redactor.createStreamFilter()
      : createSentBodyFilter(response.headers, this.#redactor);
    const bytes = filterWhole(filter, response.body.bytes ?? new Uint8Array());
    const reason = this.#redactor.redactText(response.reason);
    return { ...response, reason, headers, body: Body.from(bytes) };
  }

  #learn(recorded: HttpResponse, current: HttpResponse, isSent: (text: string) => boolean): void {
    if (eventsOf(current) !== null) return;
    const recordedJson = decodedContent(recorded)?.json;
    const currentJson = decodedContent(current)?.json;
    if (recordedJson && currentJson) this.#ids.learn(recordedJson.value, currentJson.value, { isSent });
  }
}

function sentTextTest(request: HttpRequest): (text: string) => boolean {
  const inTarget = new Set(request.target.split(/[/?&=]/));
  const sent = request.body.text ?? '';
  return (text) => inTarget.has(text) || (text.length >= MIN_SENT_LENGTH && sent.includes(text));
}

/** After failures on several addresses, the error has a code but no message. */
function reasonForSilence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, name }: NodeJS.ErrnoException = error;
  return tlsErrorMessage(error) ?? (error.message || (code ?? name));
}

function isUpload({ method, target }: HttpRequest): boolean {
  return matchOperation(method, target.split('?')[0] ?? '')?.operation.id === 'createFile';
}

/** The response without content codings, and with equal aliases for all secrets: a different secret is not drift. */
function comparableResponse(response: HttpResponse): HttpResponse {
  const content = decodedContent(response);
  if (content === null) return response;
  const text = content.text && equateAliases(content.text);
  const body = text === null || text === content.text ? content : Body.from(text);
  if (body === response.body) return response;
  const headers = response.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding');
  return { ...response, headers, body };
}

function findSkipReason(exchange: Exchange): string | null {
  const { request, response, end } = exchange;
  if (response === null) return 'no response was recorded';
  if (remoteUrl(request.target) !== null) return 'it was sent to another host';
  if (hasChangedResponse(exchange)) return 'its response was disturbed by --disturb';
  if (end.how !== 'complete') return `it ended early when it was recorded: ${end.how}`;
  if (request.body.bytes === null) return 'its request body was too large to be kept';
  return null;
}
