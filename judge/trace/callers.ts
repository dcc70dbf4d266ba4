import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from './call.ts';
import { callerOf, isOfUnknownCaller } from './caller-identity.ts';
import { arrayAt, valueAtPath } from './json.ts';
import { areSessionsApart, responseDate } from './sessions.ts';

/** Tells callers and recordings apart: the objects of one need not exist for another (1 Authentication). */
export class Callers {
  readonly #callers = new WeakMap<Exchange, string>();
  /** Responses that may show less than earlier ones, because another caller may have sent the request. */
  readonly #partial = new WeakSet<Exchange>();
  #hasPartial = false;
  /** Objects that accepted calls of unknown callers show or name. Callers that share one belong to one organization. */
  readonly #objects = new WeakMap<Exchange, ReadonlySet<string>>();
  #firstCaller: string | null = null;
  #hasSeveralCallersOrSessions = false;
  /** When the first known response was sent, in milliseconds since 1970. */
  #firstAt: number | null = null;

  /** Call it before `mayDifferIn` with the same exchange. */
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
    const at = responseDate(exchange);
    this.#firstAt ??= at;
    this.#hasSeveralCallersOrSessions ||= areSessionsApart(this.#firstAt, at);
    const caller = callerOf(exchange.request);
    this.#callers.set(exchange, caller);
    if (responseClass === 'refused') return;
    this.#firstCaller ??= caller;
    this.#hasSeveralCallersOrSessions ||= caller !== this.#firstCaller;
  }

  /** Whether the exchanges may come from several callers or recordings. Refused calls alone show no second caller. */
  mayDifferIn(exchanges: readonly Exchange[]): boolean {
    if (exchanges.length < 2) return false;
    const hasPartial = this.#hasPartial && exchanges.some((exchange) => this.#partial.has(exchange));
    if (hasPartial && !this.#shareObjects(exchanges)) return true;
    if (!this.#hasSeveralCallersOrSessions) return false;
    const times = exchanges.flatMap((exchange) => responseDate(exchange) ?? []);
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

  #shareObjects(exchanges: readonly Exchange[]): boolean {
    const objectsOf = (exchange: Exchange) => [...(this.#objects.get(exchange) ?? [])];
    const linkedObjects = new Set(exchanges.slice(0, 1).flatMap(objectsOf));
    let unlinked = exchanges.slice(1);
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
