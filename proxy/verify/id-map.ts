import type { Json } from '../../exchange/http/body.ts';
import { isJsonBranch } from '../../schemas/json.ts';
import { pairElements } from './list-pairs.ts';

/** The form of generated identifiers: a prefix, a separator, and at least six more characters. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9.]*[-_][A-Za-z0-9_-]{6,}$/;

/** Members whose values have that form now and then without being assigned: what they hold counts. */
const NEVER_ASSIGNED = /^(?:code|finish_reason|model|object|purpose|reason|role|status|type)$/;

/** Members that repeat the id of an element of the list beside them, which another element may be now. */
const OF_ELEMENT = /^(?:first_id|last_id)$/;

/** Where two values stand, and what was known before they came. */
export interface LearnFrom {
  /** Of the member that holds them. */
  readonly name?: string;
  /** Whether the request held a text: it was assigned before, or chosen by the client, and is not learned anew. */
  readonly isSent?: (text: string) => boolean;
}

/** Maps identifiers that the service assigned while recording to those that it assigns now. */
export class IdMap {
  /** Current identifiers by recorded ones, in the order in which they were learned. */
  readonly #now = new Map<string, string>();
  /** Matches each recorded identifier; null where it is to be made anew. */
  #pattern: RegExp | null = null;

  /** Learns from two responses to the same request: identifiers at the same place correspond. */
  learn(recorded: Json, now: Json, from: LearnFrom = {}): void {
    const { name = '', isSent = () => false } = from;
    if (typeof recorded === 'string' && typeof now === 'string') {
      const isNamed = name === 'id' || name.endsWith('_id') || name.endsWith('_ids');
      if (NEVER_ASSIGNED.test(name) || OF_ELEMENT.test(name) || recorded === '') return;
      const isAssigned = isNamed || (IDENTIFIER.test(recorded) && IDENTIFIER.test(now));
      if (recorded !== now && isAssigned && !isSent(recorded)) this.#learned(recorded, now);
      return;
    }
    if (Array.isArray(recorded) && Array.isArray(now)) {
      for (const [i, k] of pairElements(recorded, now, (id) => this.apply(id))) {
        const pair = [recorded[i], now[k]];
        if (pair[0] !== undefined && pair[1] !== undefined) this.learn(pair[0], pair[1], from);
      }
      return;
    }
    if (!isJsonBranch(recorded) || !isJsonBranch(now)) return;
    const other = new Map<string, Json>(Object.entries(now));
    for (const [key, value] of Object.entries(recorded)) {
      const match = other.get(key);
      if (match !== undefined) this.learn(value, match, { isSent, name: key });
    }
  }

  /** A recorded text with recorded identifiers replaced by current ones. */
  apply(text: string): string {
    if (this.#now.size === 0) return text;
    this.#pattern ??= patternOf([...this.#now.keys()]);
    return text.replace(this.#pattern, (recorded) => this.#now.get(recorded) ?? recorded);
  }

  #learned(recorded: string, now: string): void {
    this.#now.set(recorded, now);
    this.#pattern = null;
  }
}

/** Matches any of these texts, the longest first, since one may begin with another. */
function patternOf(texts: readonly string[]): RegExp {
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
}
