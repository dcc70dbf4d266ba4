import type { Json } from '../../exchange/http/body.ts';
import { isJsonBranch } from '../../schemas/json.ts';

/** The form of generated identifiers: a prefix, a separator, and at least six more characters. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9.]*[-_][A-Za-z0-9_-]{6,}$/;

/** Members whose values have that form now and then without being assigned: what they hold counts. */
const NEVER_ASSIGNED = /^(?:code|finish_reason|model|object|purpose|reason|role|status|type)$/;

/** Maps identifiers that the service assigned while recording to those that it assigns now. */
export class IdMap {
  /** Current identifiers by recorded ones, in the order in which they were learned. */
  readonly #now = new Map<string, string>();

  /** Learns from two responses to the same request: identifiers at the same place correspond. `name`: of the member. */
  learn(recorded: Json, now: Json, name = ''): void {
    if (typeof recorded === 'string' && typeof now === 'string') {
      const isNamed = name === 'id' || name.endsWith('_id') || name.endsWith('_ids');
      if (NEVER_ASSIGNED.test(name)) return;
      if (recorded !== now && (isNamed || (IDENTIFIER.test(recorded) && IDENTIFIER.test(now))))
        this.#now.set(recorded, now);
      return;
    }
    if (!isJsonBranch(recorded) || !isJsonBranch(now)) return;
    const other = new Map(Object.entries(now));
    for (const [key, value] of Object.entries(recorded)) {
      const match = other.get(key);
      if (match !== undefined) this.learn(value, match, Array.isArray(recorded) ? name : key);
    }
  }

  /** A recorded text with recorded identifiers replaced by current ones. */
  apply(text: string): string {
    let applied = text;
    for (const [recorded, now] of this.#now) applied = applied.replaceAll(recorded, now);
    return applied;
  }
}
