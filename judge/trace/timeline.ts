import { precedes, type TraceSpan } from '../../exchange/exchange.ts';
import { LruMap } from './lru-map.ts';

/** Maximum number of spans kept per object. */
const SPANS = 20;

/**
 * Records when calls may have changed or ended objects, in bounded memory. Answers are final only at the end of a trace,
 * since an overlapping call may end later.
 */
export class Timeline {
  readonly #byId: LruMap<TraceSpan[]>;
  /** When the last call that was dropped ended; 0 for none. Any object may have changed until then. */
  #forgotten = 0;

  constructor(most?: number) {
    this.#byId = new LruMap(most, (spans) => {
      this.#forgotten = Math.max(this.#forgotten, spans.at(-1)?.ended ?? 0);
    });
  }

  /** Spans are noted in the order in which they ended. */
  note(id: string, { after, ended }: TraceSpan): void {
    const spans = this.#byId.at(id, () => []);
    spans.push({ after, ended });
    // One span that covers the two oldest suggests more changes than there were, never fewer.
    const [first, second] = spans;
    if (spans.length > SPANS && first !== undefined && second !== undefined)
      spans.splice(0, 2, { after: Math.min(first.after, second.after), ended: second.ended });
  }

  /**
   * Whether one of the objects may have changed after `since` (null: ever) and before the end of `until`. These two may be noted
   * themselves and do not count.
   */
  isChanged(ids: readonly string[], since: TraceSpan | null, until: TraceSpan): boolean {
    if (this.#forgotten > (since?.after ?? 0)) return ids.length > 0;
    return ids.some((id) =>
      this.#byId.get(id)?.some((span) => {
        if (span.ended === since?.ended || span.ended === until.ended) return false;
        return !(since !== null && precedes(span, since)) && !precedes(until, span);
      }),
    );
  }
}
