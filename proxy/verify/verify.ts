import { openCassette } from '../../exchange/cassette/read/cassette.ts';
import type { Exchange, HeaderPairs, HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { contentCodings, decodedContent } from '../../exchange/http/content.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { hasHeader } from '../../exchange/http/headers.ts';
import { tlsErrorMessage } from '../../exchange/http/tls-error.ts';
import { hasCredentials } from '../../exchange/matching/request-key.ts';
import { ALIAS_PATTERN } from '../../exchange/redaction/alias.ts';
import { ContentCodingFilter } from '../../exchange/redaction/filters/content-coding-filter.ts';
import { givenHeaders, secretsIn } from '../../exchange/redaction/given.ts';
import { type ByteFilter, Redactor, type RedactorOptions } from '../../exchange/redaction/redactor.ts';
import { pointerTokens } from '../../schemas/pointer.ts';
import { missingRules, withRules } from '../record/redaction-rules.ts';
import { parseUpstream, type Upstream } from '../upstream/upstream.ts';
import { type Drift, findDrifts } from './drift.ts';
import { IdMap } from './id-map.ts';
import { sendRequest } from './send-request.ts';

export interface VerifyOptions {
  readonly cassette: string;
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Key to send where the recorded request had one; without it such requests go without. */
  readonly key?: string | null;
  /** Fields to send with every request, in place of the recorded ones; their values are secret. */
  readonly headers?: HeaderPairs;
  /** What was kept out when it was recorded is kept out of what is compared, too; secrets of the environment always are. */
  readonly redaction?: RedactorOptions;
  /** JSON pointers into answers whose values may differ, `*` for any member. */
  readonly ignore?: readonly string[];
  /** Seconds of silence after which a request is given up. Default 60. */
  readonly timeout?: number;
  /** Told of every exchange when it has been sent, or passed over. */
  readonly onExchange?: (verified: VerifiedExchange) => void;
}

/** What became of one recorded exchange. */
export interface VerifiedExchange {
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
  /** Why it was not sent; null when it was. */
  readonly skipped: string | null;
  /** Of the answer of now; null where there was none. */
  readonly status: number | null;
  readonly drifts: readonly Drift[];
}

export interface VerifyReport {
  readonly sent: number;
  readonly skipped: number;
  /** Exchanges that drifted. */
  readonly drifted: readonly VerifiedExchange[];
  /** Rules of the recording that were not given, in words: what they kept out drifts. Null where none is missing. */
  readonly missingRules: string | null;
  /** Why no request was answered at all; null when one was, or none was sent. */
  readonly unreachable: string | null;
}

/**
 * Sends the recorded requests to a live service, one after the other, and says where it answers otherwise. Identifiers of
 * answers are carried over to the requests that follow. Rejects with CassetteError when the cassette cannot be read, with
 * TypeError when the base URL is none.
 */
export async function verifyCassette(options: VerifyOptions): Promise<VerifyReport> {
  const upstream = parseUpstream(options.baseUrl);
  const cassette = await openCassette(options.cassette);
  const redaction = withRules([cassette.header], options.redaction);
  const verifier = new Verifier(upstream, { ...options, redaction });
  const drifted: VerifiedExchange[] = [];
  let sent = 0;
  let skipped = 0;
  let answered = 0;
  try {
    for (let k = 0; k < cassette.size; k += 1) {
      const verified = await verifier.verify(cassette.exchange(k));
      options.onExchange?.(verified);
      if (verified.skipped === null) sent += 1;
      else skipped += 1;
      if (verified.status !== null) answered += 1;
      if (verified.drifts.length > 0) drifted.push(verified);
    }
  } finally {
    cassette.close();
  }
  const unreachable = answered === 0 ? verifier.silence : null;
  return { sent, skipped, drifted, missingRules: missingRules([cassette.header], redaction), unreachable };
}

/** Written anew for each connection, or by us. */
const OWN_FIELDS =
  /^(?:host|connection|keep-alive|proxy-connection|content-length|transfer-encoding|expect|authorization|api-key|x-api-key|cookie)$/i;

/** Parameters in which a client sends its key; a signature or a password is none. */
const KEY_IN_TARGET = /([?&](?:api[-_]?key|key|access[-_]?token|token)=)([^&#]+)/gi;

class Verifier {
  readonly #upstream: Upstream;
  readonly #options: VerifyOptions;
  readonly #ids = new IdMap();
  readonly #redactor: Redactor;
  readonly #given: HeaderPairs;
  readonly #ignore: readonly (readonly string[])[];
  /** Why the last request without an answer had none. */
  silence: string | null = null;

  constructor(upstream: Upstream, options: VerifyOptions) {
    this.#upstream = upstream;
    this.#options = options;
    const { key = null, redaction = {}, headers = [] } = options;
    const secrets = [...(key === null ? [] : [key]), ...secretsIn(headers), ...(redaction.secrets ?? [])];
    this.#given = givenHeaders(null, headers);
    this.#redactor = new Redactor({ environment: process.env, ...redaction, secrets });
    this.#ignore = (options.ignore ?? []).map(pointerTokens);
  }

  async verify(exchange: Exchange): Promise<VerifiedExchange> {
    const { id, request, response } = exchange;
    const { method, target } = request;
    const about = { exchange: id, method, target, skipped: null, status: null };
    const reason = unsendable(exchange);
    if (reason !== null || response === null) return { ...about, skipped: reason, drifts: [] };
    const then = comparable(response);
    let now: HttpResponse;
    try {
      now = comparable(this.#redacted(await this.#send(exchange)));
    } catch (error) {
      this.silence = error instanceof Error ? why(error) : String(error);
      const nothing = `no answer: ${this.silence}`;
      return { ...about, drifts: [{ kind: 'status', at: 'status', recorded: then.status, now: nothing }] };
    }
    this.#learn(then, now);
    const options = { ignore: this.#ignore, ids: this.#ids };
    return { ...about, status: now.status, drifts: findDrifts(request, then, now, options) };
  }

  #send({ request }: Exchange): Promise<HttpResponse> {
    const { method, headers, body } = request;
    // Identifiers are ASCII: bytes that are not text stay as they are.
    const bytes = Buffer.from(this.#ids.apply(Buffer.from(body.bytes ?? []).toString('latin1')), 'latin1');
    const recorded = headers.filter(
      ([name, value]) => !OWN_FIELDS.test(name) && value !== '' && !value.startsWith('redacted_'),
    );
    const sent: HeaderPairs = [
      ...[...recorded, ...this.#credentials(request)].filter(([name]) => !hasHeader(this.#given, name)),
      ...this.#given,
      ...(bytes.length > 0 ? [['Content-Length', String(bytes.length)] as const] : []),
    ];
    const timeout = (this.#options.timeout ?? 60) * 1000;
    return sendRequest(
      this.#upstream,
      { method, target: this.#keyed(request), headers: sent, body: bytes },
      timeout,
    );
  }

  /** With the key in the place of one that stood in the query: of a request that carries one in a header it is something else. */
  #keyed(request: HttpRequest): string {
    const target = this.#ids.apply(request.target);
    const { key = null } = this.#options;
    if (key === null || hasCredentials(request)) return target;
    return target.replaceAll(KEY_IN_TARGET, (whole, lead: string, value: string) =>
      value.startsWith('redacted_') ? `${lead}${encodeURIComponent(key)}` : whole,
    );
  }

  /** The answer as it would have been recorded: no secret is to be told as a drift. */
  #redacted(response: HttpResponse): HttpResponse {
    const headers = this.#redactor.headers(response.headers);
    const filter =
      contentCodings(headers).length > 0
        ? new ContentCodingFilter(headers, this.#redactor)
        : this.#plain(response);
    const bytes = Buffer.concat([filter.push(response.body.bytes ?? EMPTY), filter.finish()]);
    return { ...response, reason: this.#redactor.text(response.reason), headers, body: Body.of(bytes) };
  }

  #plain(response: HttpResponse): ByteFilter {
    return isEventStream(response) ? this.#redactor.eventStream() : this.#redactor.stream(response.headers);
  }

  #credentials(request: HttpRequest): HeaderPairs {
    const { key = null } = this.#options;
    return key === null || !hasCredentials(request) ? [] : [['Authorization', `Bearer ${key}`]];
  }

  #learn(recorded: HttpResponse, now: HttpResponse): void {
    const then = values(recorded);
    for (const [i, value] of values(now).entries()) {
      const before = then[i];
      if (before != null && value !== null) this.#ids.learn(before.value, value.value);
    }
  }
}

/** Of several addresses that were tried in vain the error has no message, only a code. */
function why(error: NodeJS.ErrnoException): string {
  return tlsErrorMessage(error) ?? (error.message || (error.code ?? error.name));
}

const EMPTY = new Uint8Array(0);

/** Which secret an alias stands for, and how long it is, is no matter. */
function comparable(response: HttpResponse): HttpResponse {
  const { text } = response.body;
  const same = text?.replaceAll(ALIAS_PATTERN, 'redacted') ?? null;
  return same === null || same === text ? response : { ...response, body: Body.of(same) };
}

type Boxed = { readonly value: Json } | null;

/** The JSON of an answer, or of each event of its stream. */
function values(response: HttpResponse): readonly Boxed[] {
  return eventsOf(response)?.events.map(({ json }) => json) ?? [decodedContent(response)?.json ?? null];
}

/** Why a recorded exchange says nothing about the service of now; null when it does. */
function unsendable({ request, response, end }: Exchange): string | null {
  if (response === null) return 'no answer was recorded';
  if (end.how !== 'complete') return `it ended early when it was recorded: ${end.how}`;
  if (request.body.bytes === null) return 'its body was too large to be kept';
  return null;
}
