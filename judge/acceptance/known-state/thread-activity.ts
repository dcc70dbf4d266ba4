import type { Json } from '../../../exchange/http/body.ts';
import { isObject } from '../../evidence/json.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';
import { shownObjects } from './shown-objects.ts';

/** States in which a run does not act on its thread any more. */
const ENDED: readonly (Json | undefined)[] = ['completed', 'incomplete', 'failed', 'cancelled', 'expired'];

/** In which threads a run may be under way: until an answer shows its end, a run keeps its thread busy. */
export class ThreadActivity {
  /** Number of exchanges that had ended when the last run was seen to be over, by id of the thread; infinite while it may go on. */
  readonly #idleFrom = new LruMap<number>();

  /** Takes note of a call that creates a run; of other calls nothing. */
  call(call: Call): void {
    if (!call.operation.path.endsWith('/runs') || call.operation.method !== 'POST') return;
    // A refused request begins no run; of a request without an answer this is not known.
    if (call.responseClass === 'rejected' || call.responseClass === 'absent') return;
    const runs = shownObjects(call).filter((object) => object['object'] === 'thread.run');
    const threads = [call.path['thread_id'], ...runs.map((run) => run['thread_id'])];
    const isOver = ENDED.includes(runs.at(-1)?.['status']);
    for (const thread of new Set(threads)) {
      if (typeof thread !== 'string') continue;
      const from = isOver ? call.exchange.ended : Number.POSITIVE_INFINITY;
      this.#idleFrom.set(thread, Math.max(from, this.#idleFrom.get(thread) ?? 0));
    }
  }

  /** Whether no run was under way in a thread when a call began. */
  isIdle(thread: string, { exchange }: Call): boolean {
    return (this.#idleFrom.get(thread) ?? 0) <= exchange.after;
  }
}

/** The thread that the body of a request names. */
export function threadIn(asked: Json | undefined): string | null {
  const thread = isObject(asked) ? asked['thread_id'] : undefined;
  return typeof thread === 'string' ? thread : null;
}
