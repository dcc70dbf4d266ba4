// Evidence about the files of a new store or batch. They are complete only after processing, and removals in
// between excuse their absence.

import { follow, LruMap, precedes } from '../../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../../vocabulary/types.ts';
import { ADDING_OPERATIONS, FileAdditions } from './additions.ts';
import { completePage, elementIds, filterOf } from './page.ts';
import { FileRemovals, REMOVING_OPERATIONS } from './removals.ts';

/** A whole list that began after the files of a store or batch were processed, and which of them it lacks. */
export interface StoreContents extends Evidence {
  readonly page: Call;
  /** Ids of the request that the complete list lacks. */
  readonly missing: readonly string[];
}

/** The operations that create an object with files, show it and list its files. */
export interface ContentsPlan {
  /** Names the files. */
  readonly create: string;
  /** Shows that they are processed. */
  readonly retrieve: string;
  /** Shows them. */
  readonly list: string;
}

/** The request that created a store or batch, and the files that it named. */
interface Origin {
  readonly store: string;
  readonly created: Call;
  readonly files: readonly string[];
  done: Call | null;
}

/** So many lists that lack something wait for the end of the trace. */
const WAITING = 200;

/** Where the files that a store or batch was created with are to be seen: only after it has said that it is completed. */
export function storeContents(plan: ContentsPlan): Selector<StoreContents> {
  return follow(
    [...new Set([plan.create, plan.retrieve, plan.list, ...ADDING_OPERATIONS, ...REMOVING_OPERATIONS])],
    () => new ContentsCollector(plan),
    `a whole list of ${plan.list} after ${plan.retrieve} had shown the files of ${plan.create} as completed`,
  );
}

/** Relates the files of a creation to complete lists that began after they were processed. */
class ContentsCollector implements Collector<StoreContents> {
  readonly #plan: ContentsPlan;
  readonly #origins = new LruMap<Origin>();
  readonly #byStore = new LruMap<Set<string>>();
  readonly #removals = new FileRemovals();
  readonly #added = new FileAdditions();
  readonly #waiting: { readonly origin: Origin; readonly contents: StoreContents }[] = [];

  constructor(plan: ContentsPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly StoreContents[] {
    const { id } = call.operation;
    this.#removals.note(call);
    this.#added.note(call);
    if (id === this.#plan.create) this.#learn(call);
    else if (id === this.#plan.retrieve) this.#observe(call);
    else if (id === this.#plan.list) return this.#page(call);
    return [];
  }

  finish(): readonly StoreContents[] {
    return this.#waiting.map(({ origin, contents: found }) => ({
      ...found,
      missing: found.missing.filter(
        (file) =>
          !this.#removals.left(origin.store, file, origin.created.exchange, found.page.exchange) &&
          !this.#removals.deleted(file, null, found.page.exchange) &&
          // Whether a file that is in the store already becomes one of the batch is left open.
          !(found.page.path['batch_id'] !== undefined && this.#added.isTwice(origin.store, file)),
      ),
    }));
  }

  /** Records a creation with files. */
  #learn(created: Call): void {
    const id = textAt(created.responseJson, 'id');
    const files = arrayAt(created.requestJson, 'file_ids').filter((file) => typeof file === 'string');
    // The effect of an unknown file that is accepted is left open.
    const isTrial = created.exchange.probe?.side === 'violation';
    if (id === undefined || files.length === 0 || isTrial) return;
    const store = created.path['vector_store_id'] ?? id;
    const key = keyOf([...Object.values(created.path), id]);
    this.#origins.set(key, { store, created, files, done: null });
    this.#byStore.at(store, () => new Set()).add(key);
  }

  /** Records that the files of a store or batch have been processed. */
  #observe(call: Call): void {
    const origin = this.#origins.get(keyOf(Object.values(call.path)));
    if (origin === undefined || textAt(call.responseJson, 'status') !== 'completed') return;
    if (precedes(origin.created.exchange, call.exchange)) origin.done ??= call;
  }

  /** Evidence for a complete list, held until removals that overlap it are known. */
  #page(page: Call): readonly StoreContents[] {
    const elements = filterOf(page) === null ? completePage(page) : null;
    if (elements === null) return [];
    const shown = new Set(elementIds(elements));
    const { batch_id: batch, vector_store_id: store = '' } = page.path;
    const keys = batch === undefined ? [...(this.#byStore.get(store) ?? [])] : [keyOf([store, batch])];
    return keys.flatMap((key) => {
      const origin = this.#origins.get(key);
      if (origin?.done == null || !precedes(origin.done.exchange, page.exchange)) return [];
      const missing = origin.files.filter((file) => !shown.has(file));
      const exchanges = [origin.created.exchange, origin.done.exchange, page.exchange];
      const found = { page, missing, exchanges };
      if (missing.length === 0) return [found];
      if (this.#waiting.length < WAITING) this.#waiting.push({ origin, contents: found });
      return [];
    });
  }
}

/** Ids of the owners, then its own. */
function keyOf(ids: readonly string[]): string {
  return JSON.stringify(ids);
}
