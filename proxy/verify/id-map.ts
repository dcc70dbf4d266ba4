import type { Json } from '../../exchange/http/body.ts';

/** What identifiers look like: a prefix, a separator, and something nobody would write by hand. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9.]*[-_][A-Za-z0-9_-]{6,}$/;

/** Identifiers that the service gave when it was recorded, and those it gives now in their places. */
export class IdMap {
  readonly #now = new Map<string, string>();

  /** Learns from two answers to the same request: where an identifier stood, another one stands now. */
  learn(recorded: Json, now: Json, name = ''): void {
    if (typeof recorded === 'string' && typeof now === 'string') {
      const isNamed = name === 'id' || name.endsWith('_id') || name.endsWith('_ids');
      if (recorded !== now && (isNamed || (IDENTIFIER.test(recorded) && IDENTIFIER.test(now))))
        this.#now.set(recorded, now);
      return;
    }
    if (!isBranch(recorded) || !isBranch(now)) return;
    const other = new Map(Object.entries(now));
    for (const [key, value] of Object.entries(recorded)) {
      const match = other.get(key);
      if (match !== undefined) this.learn(value, match, Array.isArray(recorded) ? name : key);
    }
  }

  /** A recorded text with the identifiers of now. */
  apply(text: string): string {
    let applied = text;
    for (const [recorded, now] of this.#now) applied = applied.replaceAll(recorded, now);
    return applied;
  }
}

function isBranch(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}
