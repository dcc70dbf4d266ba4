import { precedes, type TraceSpan } from '../../exchange/exchange.ts';
import { LruMap } from './lru-map.ts';

const MAX_SPANS = 20;

/** Records when calls may have changed objects, in bounded memory. */
export class Timeline {
  /** By object: `after` and `ended` of each span in one flat list, which saves memory with thousands of objects. */
  readonly #byId: LruMap<number[]>;
  /** When the last of the dropped spans ended; 0 if none was dropped. Any object may have changed until then. */
  #droppedUntil = 0;

  constructor(max?: number) {
    this.#byId = new LruMap(max, (times) => {
      this.#droppedUntil = Math.max(this.#droppedUntil, times.at(-1) ?? 0);
    });
  }

  /** Call it in the order in which the spans ended. */
  note(id: string, { after, ended }: TraceSpan): void {
    const times = this.#byId.get(id);
    if (times === undefined) {
      this.#byId.set(id, [after, ended]);
      return;
    }
    times.push(after, ended);
    // One span that covers the two oldest suggests more changes than there were, never fewer. It ends between two whole
    // numbers, so that it is not taken for one of the calls that bound a question.
    const [firstAfter = 0, , secondAfter = 0, secondEnded = 0] = times;
    if (times.length > 2 * MAX_SPANS)
      times.splice(0, 4, Math.min(firstAfter, secondAfter), secondEnded - 0.5);
  }

  /** Whether another call may have changed one of these after `since` began (null: ever) and before `until` ended. */
  isChanged(ids: readonly string[], since: TraceSpan | null, until: TraceSpan): boolean {
    if (this.#droppedUntil > (since?.after ?? 0)) return ids.length > 0;
    for (const id of ids) {
      const times = this.#byId.get(id);
      if (times !== undefined && hasSpanBetween(times, since, until)) return true;
    }
    return false;
  }
}

function hasSpanBetween(times: readonly number[], since: TraceSpan | null, until: TraceSpan): boolean {
  for (let n = 0; n < times.length; n += 2) {
    const span = { after: times[n] ?? 0, ended: times[n + 1] ?? 0 };
    if (span.ended === since?.ended || span.ended === until.ended) continue;
    if (!(since !== null && precedes(span, since)) && !precedes(until, span)) return true;
  }
  return false;
}
