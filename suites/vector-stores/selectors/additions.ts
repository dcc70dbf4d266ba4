import { LruMap } from '../../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { mayHaveSucceeded } from '../../vocabulary/selectors.ts';
import type { Call } from '../../vocabulary/types.ts';

/** Operations that add files to a store. */
export const ADDING_OPERATIONS = [
  'createVectorStore',
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
] as const;

/** At most this many files of each store are remembered; the least recently used are dropped. */
const FILES = 1000;

/** How often files were added to stores: what becomes of one that is added once more is left open. */
export class FileAdditions {
  readonly #byStore = new LruMap<LruMap<number>>();

  /** Records a call that may have added files to a store. */
  note(call: Call): void {
    const { operation, path, requestJson: asked, responseJson: answer } = call;
    if (!ADDING_OPERATIONS.some((id) => id === operation.id) || !mayHaveSucceeded(call)) return;
    const files = this.#of(path['vector_store_id'] ?? textAt(answer, 'id') ?? '');
    for (const file of [valueAtPath(asked, 'file_id'), ...arrayAt(asked, 'file_ids')]) {
      if (typeof file === 'string') files.set(file, (files.get(file) ?? 0) + 1);
    }
  }

  isTwice(store: string, file: string): boolean {
    return (this.#of(store).get(file) ?? 0) > 1;
  }

  anyTwice(store: string): boolean {
    return [...this.#of(store).values()].some((times) => times > 1);
  }

  #of(store: string): LruMap<number> {
    return this.#byStore.at(store, () => new LruMap(FILES));
  }
}
