import type { Exchange } from '../../../exchange/exchange.ts';
import { Keyed } from '../../../judge/keyed.ts';

/** When something happened, in the order of a trace. */
export type Span = Pick<Exchange, 'after' | 'ended'>;

/** True when `earlier` was over before `later` began. */
export function isOver(earlier: Span, later: Span): boolean {
  return earlier.ended <= later.after;
}

/** What was deleted or changed, and when last. */
export class Removals {
  readonly #latest = new Keyed<Span>();

  note(id: string, { after, ended }: Span): void {
    this.#latest.set(id, { after, ended });
  }

  /** Whether one of these was touched after `since` and before the end of `until`, other than by these two themselves. */
  touched(ids: readonly string[], since: Span, until: Span): boolean {
    return ids.some((id) => {
      const span = this.#latest.get(id);
      if (span === undefined || span.ended === since.ended || span.ended === until.ended) return false;
      return !isOver(span, since) && !isOver(until, span);
    });
  }
}
