import { LruMap } from '../../../vocabulary/collecting.ts';
import type { Exchange } from '../../../vocabulary/types.ts';

/** When something happened, in the order of a trace. */
export type TraceSpan = Pick<Exchange, 'after' | 'ended'>;

/** True when `earlier` was over before `later` began. */
export function endedBefore(earlier: TraceSpan, later: TraceSpan): boolean {
  return earlier.ended <= later.after;
}

/** Objects that were deleted or changed, and the time of the last change. */
export class RemovedElements {
  readonly #latest = new LruMap<TraceSpan>();

  /** Records that a call may have removed or changed the object. */
  note(id: string, { after, ended }: TraceSpan): void {
    this.#latest.set(id, { after, ended });
  }

  /** Whether one of these was touched after `since` and before the end of `until`, other than by these two themselves. */
  touched(ids: readonly string[], since: TraceSpan, until: TraceSpan): boolean {
    return ids.some((id) => {
      const span = this.#latest.get(id);
      if (span === undefined || span.ended === since.ended || span.ended === until.ended) return false;
      return !endedBefore(span, since) && !endedBefore(until, span);
    });
  }
}
