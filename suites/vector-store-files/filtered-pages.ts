import { completePage, elementIds, filterOf } from '../vector-stores/pages.ts';
import { Deferred, follow, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Selector } from '../vocabulary/types.ts';
import { fileStatusesIn } from './statuses.ts';

/** A filtered page, and a file that it shows or whose status was the same before and after it. */
export interface FilteredPage extends Evidence {
  readonly file: string;
  /** The status of the file: on the page, or before and after it. */
  readonly state: string;
  readonly filter: string;
  readonly isShown: boolean;
  /** The id of the file, or `none` if the page lacks it; the form in which rows compare elements. */
  readonly listedFile: readonly { readonly at: string; readonly value: string; readonly exchange: string }[];
}

interface FileState {
  readonly status: string;
  readonly call: Call;
  /** Pages that no later response about the file has followed, each with a response that had ended before it. */
  readonly pages: { readonly before: Call; readonly page: Call }[];
}

type Listing = 'listVectorStoreFiles' | 'listVectorStoreFileBatchFiles';

const MAX_PAGES_PER_FILE = 16;
const MAX_DEFERRED = 200;
const MAX_OWNERS = 2000;
const MAX_FILES_PER_OWNER = 200;

/** Operations that may remove a file, or process it again. */
const DISTURBING_OPERATIONS = [
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
  'deleteVectorStoreFile',
  'deleteFile',
] as const;

export function filteredPages(listing: Listing): Selector<FilteredPage> {
  // A response about a file in a store does not name its batch.
  const statusOperations =
    listing === 'listVectorStoreFiles' ? [listing, 'retrieveVectorStoreFile'] : [listing];
  return follow(
    [...statusOperations, ...DISTURBING_OPERATIONS],
    () => new FilteredPageCollector(listing),
    `a file on a page of ${listing} with a filter, or whose status is known before and after such a page`,
  );
}

class FilteredPageCollector implements Collector<FilteredPage> {
  readonly #listing: Listing;
  readonly #owners = new LruMap<LruMap<FileState>>(MAX_OWNERS);
  readonly #disturbances = new Timeline();
  readonly #deferred = new Deferred<FilteredPage>(MAX_DEFERRED);

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  call(call: Call): readonly FilteredPage[] {
    if (DISTURBING_OPERATIONS.some((id) => id === call.operation.id) && mayHaveSucceeded(call))
      this.#noteDisturbance(call);
    if (call.operation.id !== this.#listing && this.#listing === 'listVectorStoreFileBatchFiles') return [];
    const files = this.#owners.at(this.#ownerOf(call), () => new LruMap(MAX_FILES_PER_OWNER));
    const page = call.operation.id === this.#listing && filterOf(call) !== null ? completePage(call) : null;
    for (const { call: before, pages } of page === null ? [] : files.values())
      if (pages.length < MAX_PAGES_PER_FILE && precedes(before.exchange, call.exchange))
        pages.push({ before, page: call });
    return fileStatusesIn(call).flatMap(({ file, value }) => {
      const status = textAt(value, 'status');
      return status === undefined ? [] : this.#compareStatus(files, file, status, call);
    });
  }

  finish(): readonly FilteredPage[] {
    return this.#deferred.finish();
  }

  #noteDisturbance({ path, requestJson: asked, exchange }: Call): void {
    const { vector_store_id: store, file_id } = path;
    const file = file_id ?? textAt(asked, 'file_id');
    this.#disturbances.note([store, file].filter((id) => id !== undefined).join('/'), exchange);
  }

  #compareStatus(
    files: LruMap<FileState>,
    file: string,
    status: string,
    call: Call,
  ): readonly FilteredPage[] {
    const last = files.get(file);
    const evidence = filterOf(call) === null ? [] : [filteredPage(file, status, call, [call])];
    if (last !== undefined && !precedes(last.call.exchange, call.exchange)) return evidence;
    const finished = last?.pages.filter(({ page }) => precedes(page.exchange, call.exchange)) ?? [];
    const open = last?.pages.filter((one) => one.page !== call && !finished.includes(one)) ?? [];
    // After a change of the status, it is unknown which status an overlapping page shows.
    files.set(file, { status, call, pages: last?.status === status ? open : [] });
    // A new file proves nothing about earlier pages.
    if (last?.status !== status || call.operation.method === 'POST') return evidence;
    const { vector_store_id: store } = call.path;
    const ids = [`${store}/${file}`, `${store}`, file];
    for (const { before, page } of finished) {
      const earlier = filteredPage(file, status, page, [before, page, call]);
      const isDisturbed = () => this.#disturbances.isChanged(ids, before.exchange, call.exchange);
      if (earlier.isShown) evidence.push(earlier);
      else this.#deferred.add(() => (isDisturbed() ? null : earlier));
    }
    return evidence;
  }

  #ownerOf({ path }: Call): string {
    const { vector_store_id: store, batch_id: batch } = path;
    return this.#listing === 'listVectorStoreFiles' ? `${store}` : `${store}/${batch}`;
  }
}

function filteredPage(file: string, status: string, page: Call, calls: readonly Call[]): FilteredPage {
  const isShown = elementIds(arrayAt(page.responseJson, 'data')).includes(file);
  return {
    file,
    state: status,
    filter: filterOf(page) ?? '',
    isShown,
    listedFile: [{ at: '/data', value: isShown ? file : 'none', exchange: page.exchange.id }],
    exchanges: calls.map(({ exchange }) => exchange),
  };
}
