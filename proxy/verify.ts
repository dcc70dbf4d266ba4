import type { Json } from '../exchange/body.ts';
import { openCassette } from '../exchange/cassette/read.ts';
import { decoded } from '../exchange/content.ts';
import { events } from '../exchange/events.ts';
import type { Exchange, HeaderPairs, HttpResponse } from '../exchange/exchange.ts';
import { has } from '../exchange/headers.ts';
import { type Drift, drifts } from './drift.ts';
import { IdMap } from './id-map.ts';
import { send } from './send.ts';
import { type Upstream, upstreamOf } from './upstream.ts';

export interface VerifyOptions {
  readonly cassette: string;
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Key to send where the recorded request had one; without it such requests go without. */
  readonly key?: string | null;
  /** JSON pointers into answers whose values may differ, `*` for any member. */
  readonly ignore?: readonly string[];
  /** Seconds of silence after which a request is given up. Default 60. */
  readonly timeout?: number;
  /** Told of every exchange when it has been sent, or passed over. */
  readonly onExchange?: (verified: Verified) => void;
}

/** What became of one recorded exchange. */
export interface Verified {
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
  /** Why it was not sent; null when it was. */
  readonly skipped: string | null;
  readonly drifts: readonly Drift[];
}

export interface VerifyReport {
  readonly sent: number;
  readonly skipped: number;
  /** Exchanges that drifted. */
  readonly drifted: readonly Verified[];
}

/**
 * Sends the recorded requests to a live service, one after the other, and says where it answers otherwise. Identifiers of
 * answers are carried over to the requests that follow. Rejects with CassetteError when the cassette cannot be read, with
 * TypeError when the base URL is none.
 */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const upstream = upstreamOf(options.baseUrl);
  const cassette = await openCassette(options.cassette);
  const verifier = new Verifier(upstream, options);
  const drifted: Verified[] = [];
  let sent = 0;
  let skipped = 0;
  try {
    for (let k = 0; k < cassette.size; k += 1) {
      const verified = await verifier.verify(cassette.exchange(k));
      options.onExchange?.(verified);
      if (verified.skipped === null) sent += 1;
      else skipped += 1;
      if (verified.drifts.length > 0) drifted.push(verified);
    }
  } finally {
    cassette.close();
  }
  return { sent, skipped, drifted };
}

/** Written anew for each connection, or by us. */
const OWN_FIELDS =
  /^(?:host|connection|keep-alive|proxy-connection|content-length|transfer-encoding|expect|authorization|api-key|x-api-key|cookie)$/i;

class Verifier {
  readonly #upstream: Upstream;
  readonly #options: VerifyOptions;
  readonly #ids = new IdMap();
  readonly #ignore: readonly (readonly string[])[];

  constructor(upstream: Upstream, options: VerifyOptions) {
    this.#upstream = upstream;
    this.#options = options;
    this.#ignore = (options.ignore ?? []).map((pointer) => pointer.split('/').slice(1));
  }

  async verify(exchange: Exchange): Promise<Verified> {
    const { id, request, response } = exchange;
    const { method, target } = request;
    const about = { exchange: id, method, target };
    const reason = unsendable(exchange);
    if (reason !== null || response === null) return { ...about, skipped: reason, drifts: [] };
    let now: HttpResponse;
    try {
      now = await this.#send(exchange);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return {
        ...about,
        skipped: null,
        drifts: [{ kind: 'status', at: 'status', recorded: response.status, now: message }],
      };
    }
    this.#learn(response, now);
    const options = { ignore: this.#ignore, ids: this.#ids };
    return { ...about, skipped: null, drifts: drifts(request, response, now, options) };
  }

  #send({ request }: Exchange): Promise<HttpResponse> {
    const { method, target, headers, body } = request;
    // Identifiers are ASCII: bytes that are not text stay as they are.
    const bytes = Buffer.from(this.#ids.apply(Buffer.from(body.bytes ?? []).toString('latin1')), 'latin1');
    const sent: HeaderPairs = [
      ...headers.filter(
        ([name, value]) => !OWN_FIELDS.test(name) && value !== '' && !value.startsWith('redacted_'),
      ),
      ...this.#credentials(headers),
      ...(bytes.length > 0 ? [['Content-Length', String(bytes.length)] as const] : []),
    ];
    const timeout = (this.#options.timeout ?? 60) * 1000;
    return send(
      this.#upstream,
      { method, target: this.#ids.apply(target), headers: sent, body: bytes },
      timeout,
    );
  }

  #credentials(headers: HeaderPairs): HeaderPairs {
    const { key = null } = this.#options;
    const had = ['authorization', 'api-key', 'x-api-key'].some((name) => has(headers, name));
    return key === null || !had ? [] : [['Authorization', `Bearer ${key}`]];
  }

  #learn(recorded: HttpResponse, now: HttpResponse): void {
    const then = values(recorded);
    for (const [i, value] of values(now).entries()) {
      const before = then[i];
      if (before != null && value !== null) this.#ids.learn(before.value, value.value);
    }
  }
}

type Boxed = { readonly value: Json } | null;

/** The JSON of an answer, or of each event of its stream. */
function values(response: HttpResponse): readonly Boxed[] {
  return events(response)?.events.map(({ json }) => json) ?? [decoded(response)?.json ?? null];
}

/** Why a recorded exchange says nothing about the service of now; null when it does. */
function unsendable({ request, response, end }: Exchange): string | null {
  if (response === null) return 'no answer was recorded';
  if (end.how !== 'complete') return `it ended early when it was recorded: ${end.how}`;
  if (request.body.bytes === null) return 'its body was too large to be kept';
  return null;
}
