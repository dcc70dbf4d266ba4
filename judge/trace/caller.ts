import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { firstHeader, type HeaderPairs } from '../../exchange/http/headers.ts';
import type { Call } from './call.ts';

/** Whom a request is sent for: its key and, where it names them, its organization and its project. */
export function callerOf({ headers }: Pick<HttpRequest, 'headers'>): string {
  let caller = callers.get(headers);
  if (caller === undefined) {
    caller = readCaller(headers);
    callers.set(headers, caller);
  }
  return caller;
}

/** By the header fields of a request: each object that an answer shows is asked for its caller. */
const callers = new WeakMap<HeaderPairs, string>();

/** Fields that name the organization or the project of a key: `OpenAI-Project`. */
const ACCOUNT = /-(organization|project)$/i;
const SHORTEST = '-project'.length;

function readCaller(headers: HeaderPairs): string {
  const key = firstHeader(headers, 'authorization') ?? 'none';
  const account = headers.filter(([name]) => name.length >= SHORTEST && ACCOUNT.test(name));
  if (account.length === 0) return key;
  return [key, ...account.map(([name, value]) => `${name.toLowerCase()} ${value}`).toSorted()].join(' ');
}

/** Tells apart what different callers were shown: the objects of one need not be there for another (1 Authentication). */
export class Callers {
  /** By exchange that calls an operation. Addresses that an answer gave are read without a key. */
  readonly #of = new WeakMap<Exchange, string>();
  /** The caller of the first call that was not refused for its key. */
  #first: string | null = null;
  #areSeveral = false;

  /** Takes note of a call, before its evidence is asked about. */
  note({ exchange, responseClass }: Call): void {
    const caller = callerOf(exchange.request);
    this.#of.set(exchange, caller);
    if (responseClass === 'refused') return;
    this.#first ??= caller;
    this.#areSeveral ||= caller !== this.#first;
  }

  /** Whether these exchanges are calls of more than one caller, none of whom was refused for a key in the whole trace so far. */
  differIn(exchanges: readonly Exchange[]): boolean {
    if (!this.#areSeveral || exchanges.length < 2) return false;
    let known: string | null = null;
    for (const exchange of exchanges) {
      const caller = this.#of.get(exchange);
      if (caller === undefined) continue;
      if (known !== null && caller !== known) return true;
      known = caller;
    }
    return false;
  }
}
