// The general selector: follows calls through a trace, where no other selector fits.
import type { Collector, Evidence, Selector } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';

/** What remembers calls of one trace: a collector, or the function of one that hands over everything at once. */
type Follower<E extends Evidence> = Collector<E> | ((call: Call) => Iterable<E>);

/**
 * Evidence of the operations in any form, the first of which names the family. `start` makes the memory of one trace.
 * `needs`: as that of a selector. Example: `follow(['listModels'], () => (call) => [{ exchanges: [call.exchange] }])`.
 */
export function follow<E extends Evidence>(
  operations: readonly string[],
  start: () => Follower<E>,
  needs?: string,
): Selector<E> {
  return {
    operations,
    ...(needs !== undefined && { needs }),
    variant: null,
    collect: () => {
      const follower = start();
      return typeof follower === 'function' ? { call: follower } : follower;
    },
  };
}
