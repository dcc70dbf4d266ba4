import { LruMap, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Exchange } from '../vocabulary/types.ts';

export const REMOVING_OPERATIONS = ['deleteVectorStoreFile', 'deleteVectorStore', 'deleteFile'] as const;

/** Records when files may have left their stores: removed one by one, with the store, or with the file itself. */
export class FileRemovals {
  readonly #removals = new Timeline();

  note(call: Call): void {
    if (!REMOVING_OPERATIONS.some((id) => id === call.operation.id) || !mayHaveSucceeded(call)) return;
    const { vector_store_id: store, file_id: file } = call.path;
    if (store !== undefined && file !== undefined) {
      this.#removals.note(`${store}/${file}`, call.exchange);
      this.#removals.note(`files of ${store}`, call.exchange);
    } else {
      this.#removals.note(store ?? file ?? '', call.exchange);
    }
  }

  mayHaveLeft(store: string, file: string, since: Exchange, until: Exchange): boolean {
    return this.#removals.isChanged([`${store}/${file}`, store, file], since, until);
  }

  mayBeDeleted(file: string, since: Exchange | null, until: Exchange): boolean {
    return this.#removals.isChanged([file], since, until);
  }

  /** Whether one of these files may have been deleted, or any file removed from the store, before the end of `until`. */
  mayHaveLostAny(store: string, files: readonly string[], until: Exchange): boolean {
    return this.#removals.isChanged([`files of ${store}`, store, ...files], null, until);
  }
}

export const ADDING_OPERATIONS = [
  'createVectorStore',
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
] as const;

const MAX_FILES_PER_STORE = 1000;

/** Counts how often files were added to stores. The specification leaves open what adding a file again does. */
export class FileAdditions {
  /** Whether counts were dropped to save memory: any file may then have been added twice. */
  #hasDropped = false;
  readonly #noteDrop = (): void => {
    this.#hasDropped = true;
  };
  readonly #byStore = new LruMap<LruMap<number>>(undefined, this.#noteDrop);

  note(call: Call): void {
    const { operation, path, requestJson: body, responseJson: answer } = call;
    if (!ADDING_OPERATIONS.some((id) => id === operation.id) || !mayHaveSucceeded(call)) return;
    const files = this.#additionsTo(path['vector_store_id'] ?? textAt(answer, 'id') ?? '');
    for (const file of [valueAtPath(body, 'file_id'), ...arrayAt(body, 'file_ids')])
      if (typeof file === 'string') files.set(file, (files.get(file) ?? 0) + 1);
  }

  isAddedTwice(store: string, file: string): boolean {
    return this.#hasDropped || (this.#additionsTo(store).get(file) ?? 0) > 1;
  }

  filesIn(store: string): readonly string[] {
    return [...this.#additionsTo(store).entries()].map(([file]) => file);
  }

  hasFileAddedTwice(store: string): boolean {
    return this.#hasDropped || [...this.#additionsTo(store).values()].some((count) => count > 1);
  }

  #additionsTo(store: string): LruMap<number> {
    return this.#byStore.at(store, () => new LruMap(MAX_FILES_PER_STORE, this.#noteDrop));
  }
}
