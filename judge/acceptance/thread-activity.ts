import type { Call } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { mayHaveSucceeded } from '../trace/response-class.ts';
import { objectsShownBy, showsEnd } from './shown-objects.ts';

/** Tells idle threads from busy ones. A thread stays busy unless the response that starts a run also shows its end. */
export class ThreadActivity {
  readonly #idleFrom = new LruMap<number>();

  call(call: Call): void {
    if (!call.operation.path.endsWith('/runs') || call.operation.method !== 'POST') return;
    // A refused request starts no run; a request without a response may start one.
    if (!mayHaveSucceeded(call)) return;
    const runs = objectsShownBy(call).filter((object) => object['object'] === 'thread.run');
    const threads = [call.path['thread_id'], ...runs.map((run) => run['thread_id'])];
    const last = runs.at(-1);
    for (const thread of new Set(threads)) {
      if (typeof thread !== 'string') continue;
      const from = last !== undefined && showsEnd(last) ? call.exchange.ended : Number.POSITIVE_INFINITY;
      this.#idleFrom.set(thread, Math.max(from, this.#idleFrom.get(thread) ?? 0));
    }
  }

  isIdle(thread: string, { exchange }: Call): boolean {
    return (this.#idleFrom.get(thread) ?? 0) <= exchange.after;
  }
}
