import type { Json } from '../../exchange/http/body.ts';
import type { Call } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { type ShownObject, showsEnd } from './shown-objects.ts';

/** Fields of batches, jobs and runs that name objects in use, whose deletion the specification leaves open. */
const USED_OBJECT_FIELDS: ReadonlyMap<Json | undefined, readonly string[]> = new Map([
  ['batch', ['input_file_id']],
  ['fine_tuning.job', ['training_file', 'validation_file']],
  ['thread.run', ['assistant_id']],
]);

/** An object with that many users counts as in use for good. */
const MAX_USERS = 100;

export class ObjectsInUse {
  /** By object and user: position of the last response that showed the user; infinite unless the user had ended. */
  readonly #until = new LruMap<Map<string, number>>();

  recordShown(user: ShownObject, { exchange }: Call): void {
    const { id, object } = user;
    if (typeof id !== 'string') return;
    for (const name of USED_OBJECT_FIELDS.get(object) ?? []) {
      const usedId = user[name];
      if (typeof usedId !== 'string') continue;
      const users = this.#until.at(usedId, () => new Map());
      if (users.has(id) || users.size < MAX_USERS)
        users.set(id, showsEnd(user) ? exchange.ended : Number.POSITIVE_INFINITY);
    }
  }

  isIdle(id: string, { exchange }: Call): boolean {
    const users = this.#until.get(id);
    if (users === undefined) return true;
    return users.size < MAX_USERS && [...users.values()].every((until) => until <= exchange.after);
  }
}
