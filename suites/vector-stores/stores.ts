import { isOnePage } from '../generate/lists.ts';
import { Deferred, follow, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, deepEqual, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';

/** The elements of a list that is complete in one page, possibly filtered; else null. */
export function completePage(call: Call): readonly Json[] | null {
  const data = isOnePage(call) ? valueAtPath(call.responseJson, 'data') : null;
  return Array.isArray(data) ? data : null;
}

export function filterOf({ query }: Call): string | null {
  return query.get('filter');
}

export function elementIds(elements: readonly Json[]): readonly string[] {
  return elements.map((element) => textAt(element, 'id') ?? '');
}

const PARTS = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

/** The counts that a store shows, each with its place and the number of listed files that it should equal. */
function countsOf(store: Json, files: readonly Json[]): StoreTally['counts'] {
  const listed = {
    total: files.length,
    ...Object.fromEntries(
      PARTS.map((part) => [part, files.filter((file) => textAt(file, 'status') === part).length]),
    ),
  };
  return Object.entries(listed).map(([name, count]) => ({
    at: `/file_counts/${name}`,
    value: valueAtPath(store, 'file_counts', name),
    due: count,
  }));
}

export const REMOVING_OPERATIONS = ['deleteVectorStoreFile', 'deleteVectorStore', 'deleteFile'] as const;

/** Records when files may have left their stores: removed one by one, with the store, or with the file itself. */
export class FileRemovals {
  readonly #endings = new Timeline();

  note(call: Call): void {
    if (!REMOVING_OPERATIONS.some((id) => id === call.operation.id) || !mayHaveSucceeded(call)) return;
    const { vector_store_id: store, file_id: file } = call.path;
    const { exchange } = call;
    if (store !== undefined && file !== undefined) {
      this.#endings.note(`${store}/${file}`, exchange);
      this.#endings.note(`files of ${store}`, exchange);
    } else this.#endings.note(store ?? file ?? '', exchange);
  }

  mayHaveLeft(store: string, file: string, since: Exchange, until: Exchange): boolean {
    return this.#endings.isChanged([`${store}/${file}`, store, file], since, until);
  }

  deleted(file: string, since: Exchange | null, until: Exchange): boolean {
    return this.#endings.isChanged([file], since, until);
  }

  /** Whether any of these files, or any file at all, may have left a store before the end of `until`. */
  thinned(store: string, files: readonly string[], until: Exchange): boolean {
    return this.#endings.isChanged([`files of ${store}`, store, ...files], null, until);
  }
}

const ADDING_OPERATIONS = [
  'createVectorStore',
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
] as const;

const FILES = 1000;

/** Counts how often files were added to stores. The effect of adding a file again is left open. */
class FileAdditions {
  readonly #byStore = new LruMap<LruMap<number>>();

  note(call: Call): void {
    const { operation, path, requestJson: asked, responseJson: answer } = call;
    if (!ADDING_OPERATIONS.some((id) => id === operation.id) || !mayHaveSucceeded(call)) return;
    const files = this.#additionsTo(path['vector_store_id'] ?? textAt(answer, 'id') ?? '');
    for (const file of [valueAtPath(asked, 'file_id'), ...arrayAt(asked, 'file_ids')]) {
      if (typeof file === 'string') files.set(file, (files.get(file) ?? 0) + 1);
    }
  }

  isTwice(store: string, file: string): boolean {
    return (this.#additionsTo(store).get(file) ?? 0) > 1;
  }

  anyTwice(store: string): boolean {
    return [...this.#additionsTo(store).values()].some((times) => times > 1);
  }

  #additionsTo(store: string): LruMap<number> {
    return this.#byStore.at(store, () => new LruMap(FILES));
  }
}

// The files of a new store or batch. The list is complete only after processing, and removals excuse missing files.

export interface StoreContents extends Evidence {
  readonly page: Call;
  /** The files of the creation that no element of the list shows. */
  readonly missing: readonly { readonly at: '/data'; readonly file: string }[];
}

export interface ContentsPlan {
  readonly create: string;
  readonly retrieve: string;
  readonly list: string;
}

interface Origin {
  readonly store: string;
  readonly created: Call;
  readonly files: readonly string[];
  done: Call | null;
}

const WAITING = 200;

/** Complete lists of a completed store or batch, with the files of its creation that they lack. */
export function storeContents(plan: ContentsPlan): Selector<StoreContents> {
  return follow(
    [...new Set([plan.create, plan.retrieve, plan.list, ...ADDING_OPERATIONS, ...REMOVING_OPERATIONS])],
    () => new ContentsCollector(plan),
    `a whole list of ${plan.list} after ${plan.retrieve} had shown the files of ${plan.create} as completed`,
  );
}

class ContentsCollector implements Collector<StoreContents> {
  readonly #plan: ContentsPlan;
  readonly #origins = new LruMap<Origin>();
  readonly #byStore = new LruMap<Set<string>>();
  readonly #removals = new FileRemovals();
  readonly #added = new FileAdditions();
  readonly #deferred = new Deferred<StoreContents>(WAITING);

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
    return this.#deferred.finish();
  }

  #learn(created: Call): void {
    const id = textAt(created.responseJson, 'id');
    const files = arrayAt(created.requestJson, 'file_ids').filter((file) => typeof file === 'string');
    // The effect of accepting an unknown file is left open.
    const isTrial = created.exchange.probe?.side === 'violation';
    if (id === undefined || files.length === 0 || isTrial) return;
    const store = created.path['vector_store_id'] ?? id;
    const key = keyOf([...Object.values(created.path), id]);
    this.#origins.set(key, { store, created, files, done: null });
    this.#byStore.at(store, () => new Set()).add(key);
  }

  #observe(call: Call): void {
    const origin = this.#origins.get(keyOf(Object.values(call.path)));
    if (origin === undefined || textAt(call.responseJson, 'status') !== 'completed') return;
    if (precedes(origin.created.exchange, call.exchange)) origin.done ??= call;
  }

  #page(page: Call): readonly StoreContents[] {
    const elements = filterOf(page) === null ? completePage(page) : null;
    if (elements === null) return [];
    const shown = new Set(elementIds(elements));
    const { batch_id: batch, vector_store_id: store = '' } = page.path;
    const keys = batch === undefined ? [...(this.#byStore.get(store) ?? [])] : [keyOf([store, batch])];
    return keys.flatMap((key) => {
      const origin = this.#origins.get(key);
      if (origin?.done == null || !precedes(origin.done.exchange, page.exchange)) return [];
      const lost = [...new Set(origin.files)].filter((file) => !shown.has(file));
      const exchanges = [origin.created.exchange, origin.done.exchange, page.exchange];
      if (lost.length === 0) return [{ page, missing: [], exchanges }];
      // Deferred, because a removal may overlap the list.
      this.#deferred.add(() => ({
        page,
        missing: lost.flatMap((file) =>
          this.#mayBeAbsent(file, origin, page) ? [] : [{ at: '/data', file }],
        ),
        exchanges,
      }));
      return [];
    });
  }

  #mayBeAbsent(file: string, { store, created }: Origin, { exchange, path }: Call): boolean {
    return (
      this.#removals.mayHaveLeft(store, file, created.exchange, exchange) ||
      this.#removals.deleted(file, null, exchange) ||
      // The specification leaves open whether a batch includes a file that was in the store before.
      (path['batch_id'] !== undefined && this.#added.isTwice(store, file))
    );
  }
}

function keyOf(ids: readonly string[]): string {
  return JSON.stringify(ids);
}

// File counts. A complete list is compared with them only if the reports before and after it agree.

export interface StoreTally extends Evidence {
  readonly store: Json;
  readonly listed: readonly Json[];
  readonly counts: readonly {
    readonly at: string;
    readonly value: Json | undefined;
    readonly due: number;
  }[];
}

export interface TallyPlan {
  readonly retrieve: string;
  readonly list: string;
  readonly add: readonly string[];
}

/** Counts and the complete list between two equal reports, if no file was added or removed. */
export function storeTallies(plan: TallyPlan): Selector<StoreTally> {
  return follow(
    [plan.retrieve, plan.list, ...ADDING_OPERATIONS, ...REMOVING_OPERATIONS],
    () => new TallyCollector(plan),
    `a whole list of ${plan.list} between two equal counts of ${plan.retrieve}`,
  );
}

class TallyCollector implements Collector<StoreTally> {
  readonly #plan: TallyPlan;
  readonly #open = new LruMap<{ readonly before: Call; readonly page: Call | null }>();
  readonly #removals = new FileRemovals();
  readonly #additions = new Timeline();
  readonly #files = new FileAdditions();
  readonly #deferred = new Deferred<StoreTally>(WAITING);

  constructor(plan: TallyPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly StoreTally[] {
    const { id } = call.operation;
    this.#removals.note(call);
    this.#files.note(call);
    if (id === this.#plan.retrieve && call.responseJson !== undefined) this.#observe(call);
    else if (id === this.#plan.list) this.#listed(call);
    else if (this.#plan.add.includes(id) && mayHaveSucceeded(call))
      this.#additions.note(storeOf(call), call.exchange);
    return [];
  }

  finish(): readonly StoreTally[] {
    return this.#deferred.finish();
  }

  #listed(page: Call): void {
    const before = this.#open.get(keyOf(Object.values(page.path)))?.before;
    if (before === undefined || filterOf(page) !== null || completePage(page) === null) return;
    if (precedes(before.exchange, page.exchange))
      this.#open.set(keyOf(Object.values(page.path)), { before, page });
  }

  #observe(after: Call): void {
    const key = keyOf(Object.values(after.path));
    const { before, page = null } = this.#open.get(key) ?? {};
    const isDone = textAt(after.responseJson, 'status') === 'completed';
    if (isDone) this.#open.set(key, { before: after, page: null });
    else this.#open.delete(key);
    if (!isDone || before === undefined || page === null || !precedes(page.exchange, after.exchange)) return;
    const [counts, later] = [before, after].map((call) => valueAtPath(call.responseJson, 'file_counts'));
    if (!deepEqual(counts, later)) return;
    const files = completePage(page) ?? [];
    const exchanges = [before.exchange, page.exchange, after.exchange];
    const store = after.responseJson ?? null;
    this.#deferred.add(() =>
      this.#isChanged(before, after, files)
        ? null
        : { store, listed: files, counts: countsOf(store, files), exchanges },
    );
  }

  #isChanged(before: Call, after: Call, files: readonly Json[]): boolean {
    const store = storeOf(after);
    return (
      this.#files.anyTwice(store) ||
      this.#removals.thinned(store, elementIds(files), after.exchange) ||
      this.#additions.isChanged([store], before.exchange, after.exchange)
    );
  }
}

function storeOf({ path }: Call): string {
  return path['vector_store_id'] ?? '';
}
