import type { Call } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { NO_EFFECT_CLASSES } from '../trace/response-class.ts';
import { objectsShownBy, type ShownObject } from './shown-objects.ts';

/** Tracks threads with runs: a thread stays busy for good unless the response that starts a run also shows its end. */
export class ThreadActivity {
  readonly #idleFrom = new LruMap<number>();

  call(call: Call): void {
    if (!call.operation.path.endsWith('/runs') || call.operation.method !== 'POST') return;
    // A rejected or forbidden request does not start a run; a request without a response may.
    if (NO_EFFECT_CLASSES.includes(call.responseClass)) return;
    const runs = objectsShownBy(call).filter((object) => object['object'] === 'thread.run');
    const threads = [call.path['thread_id'], ...runs.map((run) => run['thread_id'])];
    const hasEnded = ENDED_STATUSES.includes(runs.at(-1)?.['status']);
    for (const thread of new Set(threads)) {
      if (typeof thread !== 'string') continue;
      const from = hasEnded ? call.exchange.ended : Number.POSITIVE_INFINITY;
      this.#idleFrom.set(thread, Math.max(from, this.#idleFrom.get(thread) ?? 0));
    }
  }

  isIdle(thread: string, { exchange }: Call): boolean {
    return (this.#idleFrom.get(thread) ?? 0) <= exchange.after;
  }
}

/** Fields that name objects in use by a job or run. The specification leaves open whether these may be deleted. */
const USED_OBJECT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  batch: ['input_file_id'],
  'fine_tuning.job': ['training_file', 'validation_file'],
  'thread.run': ['assistant_id'],
};

const ENDED_STATUSES: readonly unknown[] = [
  'completed',
  'succeeded',
  'incomplete',
  'failed',
  'cancelled',
  'expired',
];

/** Maximum number of users tracked per object; an object with that many is considered in use forever. */
const MAX_USERS = 100;

/** Tracks the files and assistants that jobs and runs use, until a response shows the end of the job or run. */
export class ObjectsInUse {
  /** By id of the object, then its user: position of the response that showed the user's end; infinite until then. */
  readonly #until = new LruMap<Map<string, number>>();

  note(user: ShownObject, { exchange }: Call): void {
    const { id, object, status } = user;
    if (typeof id !== 'string') return;
    for (const name of USED_OBJECT_FIELDS[String(object)] ?? []) {
      const usedId = user[name];
      if (typeof usedId !== 'string') continue;
      const users = this.#until.at(usedId, () => new Map());
      if (users.has(id) || users.size < MAX_USERS)
        users.set(id, ENDED_STATUSES.includes(status) ? exchange.ended : Number.POSITIVE_INFINITY);
    }
  }

  isIdle(id: string, { exchange }: Call): boolean {
    const users = this.#until.get(id);
    if (users === undefined) return true;
    return users.size < MAX_USERS && [...users.values()].every((until) => until <= exchange.after);
  }
}
