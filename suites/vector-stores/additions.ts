import type { Call } from '../../judge/call.ts';
import { get, list, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import { mayHaveWorked } from '../../judge/selectors/relations.ts';

/** Operations that add files to a store. */
export const adding = ['createVectorStore', 'createVectorStoreFile', 'createVectorStoreFileBatch'] as const;

const FILES = 1000;

/** How often files were added to stores: what becomes of one that is added once more is left open. */
export class Additions {
  readonly #byStore = new Keyed<Keyed<number>>();

  note(call: Call): void {
    const { operation, path, asked, answer } = call;
    if (!adding.some((id) => id === operation.id) || !mayHaveWorked(call)) return;
    const files = this.#of(path['vector_store_id'] ?? text(answer, 'id') ?? '');
    for (const file of [get(asked, 'file_id'), ...list(asked, 'file_ids')]) {
      if (typeof file === 'string') files.set(file, (files.get(file) ?? 0) + 1);
    }
  }

  isTwice(store: string, file: string): boolean {
    return (this.#of(store).get(file) ?? 0) > 1;
  }

  anyTwice(store: string): boolean {
    return [...this.#of(store).values()].some((times) => times > 1);
  }

  #of(store: string): Keyed<number> {
    return this.#byStore.at(store, () => new Keyed(FILES));
  }
}
