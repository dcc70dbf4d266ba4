import { Deferred, follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../vocabulary/types.ts';
import { ADDING_OPERATIONS, FileAdditions, FileRemovals, REMOVING_OPERATIONS } from './file-history.ts';
import { completePage, elementIds, filterOf } from './pages.ts';

export interface StoreContents extends Evidence {
  readonly page: Call;
  /** The files of the creation that the list lacks, unless a removal or a second addition may explain it. */
  readonly missing: readonly { readonly at: '/data'; readonly file: string }[];
}

interface ContentsPlan {
  readonly create: string;
  readonly retrieve: string;
  readonly list: string;
}

interface Creation {
  readonly store: string;
  readonly key: string;
  readonly call: Call;
  readonly files: readonly string[];
  /** The first retrieval that shows its files as processed. */
  completed: Call | null;
}

const MAX_DEFERRED = 200;

/** Selects complete lists of a store or batch whose files were processed, with the files that they lack. */
export function storeContents(plan: ContentsPlan): Selector<StoreContents> {
  return follow(
    [...new Set([plan.create, plan.retrieve, plan.list, ...ADDING_OPERATIONS, ...REMOVING_OPERATIONS])],
    () => new ContentsCollector(plan),
    `a whole list of ${plan.list} after ${plan.retrieve} had shown the files of ${plan.create} as completed`,
  );
}

class ContentsCollector implements Collector<StoreContents> {
  readonly #plan: ContentsPlan;
  readonly #keysByStore = new LruMap<Set<string>>();
  readonly #creations = new LruMap<Creation>(undefined, ({ store, key }) => {
    this.#keysByStore.get(store)?.delete(key);
  });
  readonly #removals = new FileRemovals();
  readonly #additions = new FileAdditions();
  readonly #deferred = new Deferred<StoreContents>(MAX_DEFERRED);

  constructor(plan: ContentsPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly StoreContents[] {
    const { id } = call.operation;
    this.#removals.note(call);
    this.#additions.note(call);
    if (id === this.#plan.create) this.#noteCreation(call);
    else if (id === this.#plan.retrieve) this.#noteCompletion(call);
    else if (id === this.#plan.list) return this.#readPage(call);
    return [];
  }

  finish(): readonly StoreContents[] {
    return this.#deferred.finish();
  }

  #noteCreation(call: Call): void {
    const id = textAt(call.responseJson, 'id');
    const files = arrayAt(call.requestJson, 'file_ids').filter((file) => typeof file === 'string');
    // The specification leaves open what a store does with an invalid file that it accepted.
    const isInvalid = call.exchange.probe?.side === 'violation';
    if (id === undefined || files.length === 0 || isInvalid) return;
    const store = call.path['vector_store_id'] ?? id;
    const key = JSON.stringify([...Object.values(call.path), id]);
    this.#creations.set(key, { store, key, call, files, completed: null });
    this.#keysByStore.at(store, () => new Set()).add(key);
  }

  #noteCompletion(call: Call): void {
    const creation = this.#creations.get(JSON.stringify(Object.values(call.path)));
    if (creation === undefined || textAt(call.responseJson, 'status') !== 'completed') return;
    if (precedes(creation.call.exchange, call.exchange)) creation.completed ??= call;
  }

  #readPage(page: Call): readonly StoreContents[] {
    const elements = filterOf(page) === null ? completePage(page) : null;
    if (elements === null) return [];
    const shown = new Set(elementIds(elements));
    const { batch_id: batch, vector_store_id: store = '' } = page.path;
    const keys =
      batch === undefined ? [...(this.#keysByStore.get(store) ?? [])] : [JSON.stringify([store, batch])];
    return keys.flatMap((key) => {
      const creation = this.#creations.get(key);
      if (creation?.completed == null || !precedes(creation.completed.exchange, page.exchange)) return [];
      const unlisted = [...new Set(creation.files)].filter((file) => !shown.has(file));
      const exchanges = [creation.call.exchange, creation.completed.exchange, page.exchange];
      if (unlisted.length === 0) return [{ page, missing: [], exchanges }];
      // A removal that overlaps the list may end after it, so the decision waits for the end of the trace.
      this.#deferred.add(() => ({
        page,
        missing: unlisted.flatMap((file) =>
          this.#mayBeAbsent(file, creation, page) ? [] : [{ at: '/data', file }],
        ),
        exchanges,
      }));
      return [];
    });
  }

  #mayBeAbsent(file: string, { store, call }: Creation, { exchange, path }: Call): boolean {
    return (
      this.#removals.mayHaveLeft(store, file, call.exchange, exchange) ||
      this.#removals.mayBeDeleted(file, null, exchange) ||
      // The specification leaves open whether a batch includes a file that was in the store before.
      (path['batch_id'] !== undefined && this.#additions.isAddedTwice(store, file))
    );
  }
}
