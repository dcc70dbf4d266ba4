// Files that a batch or a training reads, and assistants that a run works with: whether such an object may be deleted is not stated.
import type { Json } from '../../../exchange/http/body.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';
import type { ShownObject } from './shown-objects.ts';

/** Names of the members that hold the ids of what an object works with, by its kind. */
const USING: Readonly<Record<string, readonly string[]>> = {
  batch: ['input_file_id'],
  'fine_tuning.job': ['training_file', 'validation_file'],
  'thread.run': ['assistant_id'],
};

/** States in which a batch, a training or a run works with nothing any more. */
const ENDED: readonly (Json | undefined)[] = [
  'completed',
  'succeeded',
  'incomplete',
  'failed',
  'cancelled',
  'expired',
];

/** Users of one object that are remembered; with more it stays in use. */
const USERS = 100;

/** Which objects are in use, by the last answer that shows who uses them. */
export class ObjectsInUse {
  /** By id of the object and of its user: number of exchanges that had ended when the use was over; infinite while it may go on. */
  readonly #until = new LruMap<Map<string, number>>();

  /** Takes note of an object that an answer shows. */
  show(shown: ShownObject, { exchange }: Call): void {
    const { id, object, status } = shown;
    if (typeof id !== 'string') return;
    for (const name of USING[String(object)] ?? []) {
      const used = shown[name];
      if (typeof used !== 'string') continue;
      const users = this.#until.at(used, () => new Map());
      if (users.has(id) || users.size < USERS)
        users.set(id, ENDED.includes(status) ? exchange.ended : Number.POSITIVE_INFINITY);
    }
  }

  /** Whether nothing was known to use an object when a call began. */
  isIdle(id: string, { exchange }: Call): boolean {
    const users = this.#until.get(id);
    if (users === undefined) return true;
    return users.size < USERS && [...users.values()].every((until) => until <= exchange.after);
  }
}
