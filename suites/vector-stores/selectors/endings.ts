import { type Exchange, precedes } from '../../../exchange/exchange.ts';
import { LruMap } from '../../../judge/evidence/lru-map.ts';

/** So many endings of one thing are told apart; with more nobody knows. */
const MOST = 20;

/** What may have changed or ended things: asked at the end of a trace, when it is known which calls overlapped. */
export class ObjectEndings {
  readonly #byId = new LruMap<Exchange[]>();

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

function isBetween(one: Exchange, since: Exchange | null, until: Exchange): boolean {
  const isBefore = since !== null && precedes(one, since);
  return one !== since && one !== until && !isBefore && !precedes(until, one);
}
