import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { firstHeader, type HeaderPairs } from '../../exchange/http/headers.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Call } from './call.ts';
import { arrayAt, valueAtPath } from './json.ts';

/** Identifies the sender of a request by key, organization and project. */
export function callerOf({ headers }: Pick<HttpRequest, 'headers'>): string {
  return getOrMake(callers, headers, () => readCaller(headers));
}

const callers = new WeakMap<HeaderPairs, string>();

/** Header fields that carry the key; gateways use their own. */
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key'];
const NO_KEY = 'none';

/** Header fields that name the organization or project of a key: `OpenAI-Project`. */
const ACCOUNT_HEADER = /-(organization|project)$/i;
const MIN_ACCOUNT_HEADER_LENGTH = '-project'.length;

function readCaller(headers: HeaderPairs): string {
  const key = KEY_HEADERS.map((name) => firstHeader(headers, name)).find((value) => value !== null) ?? NO_KEY;
  const account = headers.filter(
    ([name]) => name.length >= MIN_ACCOUNT_HEADER_LENGTH && ACCOUNT_HEADER.test(name),
  );
  if (account.length === 0) return key;
  return [key, ...account.map(([name, value]) => `${name.toLowerCase()} ${value}`).toSorted()].join(' ');
}

/** Hosts of this machine or network. Their services may have no keys, and then show the same objects to everyone. */
const LOCAL_HOST =
  /^(?:[^.]+$|(?:127|10)(?:\.\d+){3}(?::|$)|(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d+){2}(?::|$)|.*\.(?:local|localhost|internal|lan|test)(?::|$))/i;

/** Whether nothing identifies the sender of a request to a remote host: if keys were removed, several look like one. */
export function isOfUnknownCaller({ scenario, request }: Exchange): boolean {
  if (scenario !== null || callerOf(request) !== NO_KEY) return false;
  const host = firstHeader(request.headers, 'host');
  return host !== null && !LOCAL_HOST.test(host);
}

/** Exchanges further apart than this, in milliseconds, are from different recordings: much may have changed. */
const MAX_SESSION_MS = 7 * 24 * 60 * 60 * 1000;

/** When the service sent a response, by its `Date`; null if unknown, and for a run of assay, which is one session. */
export function answeredAt({ scenario, response }: Exchange): number | null {
  const date = scenario === null && response !== null ? firstHeader(response.headers, 'date') : null;
  const at = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : at;
}

export function areSessionsApart(one: number | null, other: number | null): boolean {
  return one !== null && other !== null && Math.abs(one - other) > MAX_SESSION_MS;
}

/** Tells callers and recordings apart: objects of one need not exist for another (1 Authentication). */
export class Callers {
  readonly #callers = new WeakMap<Exchange, string>();
  /** Responses that may show less than earlier ones because another caller asked. */
  readonly #partial = new WeakSet<Exchange>();
  #hasPartial = false;
  /** Objects that accepted calls of unknown callers show or name. Callers that share one belong to one organization. */
  readonly #objects = new WeakMap<Exchange, ReadonlySet<string>>();
  #firstCaller: string | null = null;
  #hasSeveral = false;
  #firstAt: number | null = null;

  /** Records who sent a call. Call it before `differIn` with the same exchange. */
  note(call: Call): void {
    const { exchange, operation, responseClass, status } = call;
    if (isOfUnknownCaller(exchange)) {
      // A request that was not accepted may name an object of another organization.
      if (responseClass === 'accepted') this.#objects.set(exchange, new Set(objectsIn(call)));
      if (status === 404 || (operation.list !== null && !operation.path.includes('{'))) {
        this.#partial.add(exchange);
        this.#hasPartial = true;
      }
    }
    const at = answeredAt(exchange);
    this.#firstAt ??= at;
    this.#hasSeveral ||= areSessionsApart(this.#firstAt, at);
    const caller = callerOf(exchange.request);
    this.#callers.set(exchange, caller);
    if (responseClass === 'refused') return;
    this.#firstCaller ??= caller;
    this.#hasSeveral ||= caller !== this.#firstCaller;
  }

  /** Whether these exchanges may have several callers or recordings. Refused calls alone show no second caller. */
  differIn(exchanges: readonly Exchange[]): boolean {
    if (exchanges.length < 2) return false;
    const hasPartial = this.#hasPartial && exchanges.some((exchange) => this.#partial.has(exchange));
    if (hasPartial && !this.#shareObjects(exchanges)) return true;
    if (!this.#hasSeveral) return false;
    const times = exchanges.flatMap((exchange) => answeredAt(exchange) ?? []);
    if (times.length > 1 && areSessionsApart(Math.min(...times), Math.max(...times))) return true;
    let knownCaller: string | null = null;
    for (const exchange of exchanges) {
      const caller = this.#callers.get(exchange);
      if (caller === undefined) continue;
      if (knownCaller !== null && caller !== knownCaller) return true;
      knownCaller = caller;
    }
    return false;
  }

  /** Whether shared objects link all of the exchanges, which then belong to one organization. */
  #shareObjects([first, ...others]: readonly Exchange[]): boolean {
    const objectsOf = (exchange: Exchange | undefined) => [
      ...((exchange && this.#objects.get(exchange)) ?? []),
    ];
    const linkedObjects = new Set(objectsOf(first));
    let unlinked = others;
    while (unlinked.length > 0) {
      const linked = unlinked.filter((exchange) => objectsOf(exchange).some((id) => linkedObjects.has(id)));
      if (linked.length === 0) return false;
      for (const exchange of linked) for (const id of objectsOf(exchange)) linkedObjects.add(id);
      unlinked = unlinked.filter((exchange) => !linked.includes(exchange));
    }
    return true;
  }
}

/** Ids that a successful call shows, or names in its path or as a list's cursor. Models may belong to everyone. */
function objectsIn({ operation, responseJson: answer, path, query }: Call): readonly string[] {
  if (operation.path.startsWith('/v1/models')) return [];
  const shownIds = [answer, ...arrayAt(answer, 'data')].map((object) => valueAtPath(object, 'id'));
  const namedIds = [...Object.values(path), query.get('after'), query.get('before')];
  return [...shownIds, ...namedIds].filter((id) => typeof id === 'string');
}
