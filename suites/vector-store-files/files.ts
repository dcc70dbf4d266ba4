import {
  completePage,
  elementIds,
  FileRemovals,
  filterOf,
  REMOVING_OPERATIONS,
} from '../vector-stores/stores.ts';
import { Deferred, follow, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded, stateless } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../vocabulary/types.ts';

export interface FileStatusReport {
  readonly store: string;
  readonly file: string;
  readonly value: Json;
  readonly at: string;
}

const FILE_STATUS_OPERATIONS = [
  'createVectorStoreFile',
  'retrieveVectorStoreFile',
  'listVectorStoreFiles',
  'listVectorStoreFileBatchFiles',
] as const;

/** The files in stores that a response contains; the response of a deletion contains none. */
function fileStatusesIn({
  operation,
  responseJson: answer,
  path,
  requestJson: asked,
}: Call): readonly FileStatusReport[] {
  const store = path['vector_store_id'];
  if (answer === undefined || store === undefined) return [];
  switch (operation.id) {
    case 'createVectorStoreFile':
      return [{ store, file: textAt(asked, 'file_id') ?? '', value: answer, at: '' }];
    case 'retrieveVectorStoreFile':
      return [{ store, file: path['file_id'] ?? '', value: answer, at: '' }];
    case 'listVectorStoreFiles':
    case 'listVectorStoreFileBatchFiles':
      return arrayAt(answer, 'data').map((value, i) => ({
        store,
        file: textAt(value, 'id') ?? '',
        value,
        at: `/data/${i}`,
      }));
    default:
      return [];
  }
}

export const filesInStores: Selector<Evidence & { readonly stored: readonly FileStatusReport[] }> = stateless(
  'files of stores',
  FILE_STATUS_OPERATIONS,
  { needs: 'a file of a store' },
  (call) => fileStatusesIn(call).map((file) => ({ stored: [file], exchanges: [call.exchange] })),
);

/** Changes of the status of a file between consecutive responses. */
export const statusChanges: Selector<Evidence & { readonly from: string; readonly to: string }> = follow(
  FILE_STATUS_OPERATIONS,
  () => {
    const states = new LruMap<{ readonly status: string; readonly call: Call }>();
    return (call) =>
      fileStatusesIn(call).flatMap(({ store, file, value }) => {
        const status = textAt(value, 'status');
        const key = `${store}/${file}`;
        const before = states.get(key);
        if (status === undefined || (before && !precedes(before.call.exchange, call.exchange))) return [];
        states.set(key, { status, call });
        if (before === undefined || before.status === status) return [];
        return [{ from: before.status, to: status, exchanges: [before.call.exchange, call.exchange] }];
      });
  },
  'a file whose status changed',
);

/** A filtered page, and a file that had the same status before and after it. */
export interface FilteredPage extends Evidence {
  readonly file: string;
  readonly state: string;
  readonly filter: string;
  readonly isShown: boolean;
  /** The id of the file as the page shows it, or `none`. */
  readonly found: readonly { readonly at: string; readonly value: string; readonly exchange: string }[];
}

interface State {
  readonly status: string;
  readonly call: Call;
  readonly pages: Call[];
}

type Listing = 'listVectorStoreFiles' | 'listVectorStoreFileBatchFiles';

const PAGES = 16;
const LACKS = 200;
const OWNERS = 2000;
const FILES = 200;

/** Files on the filtered pages of a list, if their status did not change in the meantime. */
export function filteredPages(listing: Listing): Selector<FilteredPage> {
  // A response about a file in a store does not name its batch.
  const own = listing === 'listVectorStoreFiles' ? [listing, 'retrieveVectorStoreFile'] : [listing];
  const operations = [...own, ...disturbing];
  return follow(
    operations,
    () => new FilteringCollector(listing),
    `a file whose status was shown before, on a page of ${listing} with a filter or after it`,
  );
}

const disturbing = [
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
  'deleteVectorStoreFile',
  'deleteFile',
] as const;

class FilteringCollector implements Collector<FilteredPage> {
  readonly #listing: Listing;
  readonly #owners = new LruMap<LruMap<State>>(OWNERS);
  /** Calls that may have removed a file, or processed it again. */
  readonly #disturbances = new Timeline();
  readonly #lacks = new Deferred<FilteredPage>(LACKS);

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  call(call: Call): readonly FilteredPage[] {
    if (disturbing.some((id) => id === call.operation.id) && mayHaveSucceeded(call)) this.#disturbed(call);
    if (call.operation.id !== this.#listing && this.#listing === 'listVectorStoreFileBatchFiles') return [];
    const files = this.#owners.at(this.#ownerOf(call), () => new LruMap(FILES));
    const page = call.operation.id === this.#listing && filterOf(call) !== null ? completePage(call) : null;
    if (page !== null) for (const state of files.values()) wait(state, call);
    return fileStatusesIn(call).flatMap(({ file, value }) => {
      const status = textAt(value, 'status');
      return status === undefined ? [] : this.#look(files, file, status, call);
    });
  }

  finish(): readonly FilteredPage[] {
    return this.#lacks.finish();
  }

  #disturbed({ path, requestJson: asked, exchange }: Call): void {
    const { vector_store_id: store, file_id } = path;
    const file = file_id ?? textAt(asked, 'file_id');
    this.#disturbances.note([store, file].filter((id) => id !== undefined).join('/'), exchange);
  }

  #look(files: LruMap<State>, file: string, status: string, call: Call): readonly FilteredPage[] {
    const before = files.get(file);
    const shown = filterOf(call) === null ? [] : [filtering(file, status, call, [call])];
    if (before !== undefined && !precedes(before.call.exchange, call.exchange)) return shown;
    const over = before?.pages.filter((page) => precedes(page.exchange, call.exchange)) ?? [];
    const pages = before?.pages.filter((page) => page !== call && !over.includes(page)) ?? [];
    // A page that overlaps the call that shows another status may be older than it.
    files.set(file, { status, call, pages: before?.status === status ? pages : [] });
    // A new file proves nothing about earlier pages.
    if (before?.status !== status || call.operation.method === 'POST') return shown;
    const found = over.map((page) => filtering(file, status, page, [before.call, page, call]));
    const { vector_store_id: store } = call.path;
    const ids = [`${store}/${file}`, `${store}`, file];
    const isDisturbed = () => this.#disturbances.isChanged(ids, before.call.exchange, call.exchange);
    for (const lack of found.filter(({ isShown }) => !isShown))
      this.#lacks.add(() => (isDisturbed() ? null : lack));
    return [...shown, ...found.filter(({ isShown }) => isShown)];
  }

  #ownerOf({ path }: Call): string {
    const { vector_store_id: store, batch_id: batch } = path;
    return this.#listing === 'listVectorStoreFiles' ? `${store}` : `${store}/${batch}`;
  }
}

function wait({ call, pages }: State, page: Call): void {
  if (pages.length < PAGES && precedes(call.exchange, page.exchange)) pages.push(page);
}

function filtering(file: string, status: string, page: Call, calls: readonly Call[]): FilteredPage {
  const isShown = elementIds(arrayAt(page.responseJson, 'data')).includes(file);
  return {
    file,
    state: status,
    filter: filterOf(page) ?? '',
    isShown,
    found: [{ at: '/data', value: isShown ? file : 'none', exchange: page.exchange.id }],
    exchanges: calls.map(({ exchange }) => exchange),
  };
}

export interface RemovedFileLookup extends Evidence {
  readonly place: 'files' | 'another store';
  readonly file: string;
  readonly removal: Call;
  readonly after: Call;
}

const WAITING = 200;
const REMOVALS = 20;

/** Look-ups of a file after its removal from another store. */
export const removedFileLookups: Selector<RemovedFileLookup> = follow(
  [
    'deleteVectorStoreFile',
    'createFile',
    'retrieveFile',
    'retrieveFileContent',
    'createVectorStoreFile',
    'retrieveVectorStoreFile',
    ...REMOVING_OPERATIONS.filter((id) => id !== 'deleteVectorStoreFile'),
  ],
  () => new SurvivalCollector(),
  'a call for a file that was shown before, and removed from a store',
);

class SurvivalCollector implements Collector<RemovedFileLookup> {
  /** The first call since its creation that showed the file, by `file`, `file content` or `store/file`. */
  readonly #there = new LruMap<Call>();
  readonly #removed = new LruMap<Call[]>();
  readonly #removals = new FileRemovals();
  readonly #deferred = new Deferred<RemovedFileLookup>(WAITING);

  call(call: Call): readonly RemovedFileLookup[] {
    const { operation, path, responseJson: answer } = call;
    const { vector_store_id: store, file_id } = path;
    const file = file_id ?? textAt(call.requestJson, 'file_id') ?? textAt(answer, 'id') ?? '';
    if (operation.id === 'deleteVectorStoreFile') {
      if (valueAtPath(answer, 'deleted') === true) {
        const known = this.#removed.get(file) ?? [];
        this.#removed.set(file, [...known.slice(1 - REMOVALS), call]);
      }
    } else if (operation.id !== 'deleteVectorStore' && operation.method !== 'POST') {
      this.#look(store, file, call);
    }
    this.#removals.note(call);
    const isShown = answer !== undefined || (isOfContent(call) && call.responseClass === 'accepted');
    if (!isShown || operation.method === 'DELETE') return [];
    const key = keyOf(store, file, call);
    // A file that shows up again existed all along; a file that is created again is new.
    if (operation.method === 'POST' || this.#there.get(key) === undefined) this.#there.set(key, call);
    return [];
  }

  finish(): readonly RemovedFileLookup[] {
    return this.#deferred.finish();
  }

  #look(store: string | undefined, file: string, after: Call): void {
    const since = this.#there.get(keyOf(store, file, after))?.exchange;
    if (since === undefined) return;
    const removal = this.#removed
      .get(file)
      ?.findLast(
        (one) =>
          one.path['vector_store_id'] !== store &&
          precedes(since, one.exchange) &&
          precedes(one.exchange, after.exchange),
      );
    if (removal === undefined) return;
    const exchanges = [since, removal.exchange, after.exchange];
    const lookup: RemovedFileLookup = {
      place: store === undefined ? 'files' : 'another store',
      file,
      removal,
      after,
      exchanges,
    };
    this.#deferred.add(() => {
      const isGone =
        store === undefined
          ? this.#removals.deleted(file, since, after.exchange)
          : this.#removals.mayHaveLeft(store, file, since, after.exchange);
      return isGone ? null : lookup;
    });
  }
}

function keyOf(store: string | undefined, file: string, call: Call): string {
  if (isOfContent(call)) return `${file} content`;
  return store === undefined ? file : `${store}/${file}`;
}

function isOfContent({ operation }: Call): boolean {
  return operation.id === 'retrieveFileContent';
}
