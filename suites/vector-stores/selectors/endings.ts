import { LruMap, precedes } from '../../vocabulary/collecting.ts';
import type { Exchange } from '../../vocabulary/types.ts';

/** At most this many endings of one object are distinguished; beyond that the order is unknown. */
const MOST = 20;

/** Calls that may have changed or ended objects: queried at the end of a trace, when the overlapping calls are known. */
export class ObjectEndings {
  readonly #byId = new LruMap<Exchange[]>();

  /** Records that an exchange may have changed or ended the object. */
  note(id: string, exchange: Exchange): void {
    const known = this.#byId.at(id, () => []);
    if (known.length < MOST) known.push(exchange);
  }

  /** Whether anything was noted of one of these after `since` (null: ever) and before the end of `until`. */
  between(ids: readonly string[], since: Exchange | null, until: Exchange): boolean {
    return ids.some((id) => {
      const known = this.#byId.get(id) ?? [];
      return known.length === MOST || known.some((one) => isBetween(one, since, until));
    });
  }
}

/** Whether an exchange may have taken effect after `since` and before `until`; null means the beginning. */
function isBetween(one: Exchange, since: Exchange | null, until: Exchange): boolean {
  const isBefore = since !== null && precedes(one, since);
  return one !== since && one !== until && !isBefore && !precedes(until, one);
}
