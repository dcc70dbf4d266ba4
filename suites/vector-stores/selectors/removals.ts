import { mayHaveSucceeded } from '../../vocabulary/selectors.ts';
import type { Call, Exchange } from '../../vocabulary/types.ts';
import { ObjectEndings } from './endings.ts';

/** Operations that take a file out of a store. */
export const REMOVING_OPERATIONS = ['deleteVectorStoreFile', 'deleteVectorStore', 'deleteFile'] as const;

/** When files may have left their stores: one by one, with the whole store, or because the file itself is deleted. */
export class FileRemovals {
  readonly #endings = new ObjectEndings();

  /** Records a call that may have removed a file from a store. */
  note(call: Call): void {
    if (!REMOVING_OPERATIONS.some((id) => id === call.operation.id) || !mayHaveSucceeded(call)) return;
    const { vector_store_id: store, file_id: file } = call.path;
    const { exchange } = call;
    if (store !== undefined && file !== undefined) {
      this.#endings.note(`${store}/${file}`, exchange);
      this.#endings.note(`files of ${store}`, exchange);
    } else this.#endings.note(store ?? file ?? '', exchange);
  }

  /** Whether a file may have left a store between two moments. */
  left(store: string, file: string, since: Exchange, until: Exchange): boolean {
    return this.#endings.between([`${store}/${file}`, store, file], since, until);
  }

  /** Whether a file itself may have been deleted between two moments, or ever before the second. */
  deleted(file: string, since: Exchange | null, until: Exchange): boolean {
    return this.#endings.between([file], since, until);
  }

  /** Whether any of these files, or any file at all, may have left a store before the end of `until`. */
  thinned(store: string, files: readonly string[], until: Exchange): boolean {
    return this.#endings.between([`files of ${store}`, store, ...files], null, until);
  }
}
