import { ObjectEndings } from '../vector-stores/selectors/endings.ts';
import { completePage, elementIds, filterOf } from '../vector-stores/selectors/page.ts';
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded, that } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Exchange, Selector } from '../vocabulary/types.ts';
import { fileStatusesIn } from './file-status.ts';

/** A filtered page, and a file that was in one and the same state before and after it. */
export interface FilteredPage extends Evidence {
  readonly file: string;
  /** Status of the file in the calls before and after the page. */
  readonly status: string;
  /** Value of the query parameter `filter`. */
  readonly filter: string;
  /** Whether the page contains the file. */
  readonly isShown: boolean;
  readonly page: Call;
}

/** The latest status of a file, and the filtered pages since then. */
interface State {
  readonly status: string;
  readonly call: Call;
  /** Filtered pages since then. */
  readonly pages: Call[];
}

/** A page that lacks a file, between two calls that showed it. */
interface Lack {
  readonly filtering: FilteredPage;
  /** Calls that may have removed the file, or processed it anew. */
  readonly disturbers: readonly string[];
  /** The exchange that showed the file before the page. */
  readonly since: Exchange;
  /** The exchange that showed it after the page. */
  readonly until: Exchange;
}

/** The two lists that can be filtered by status (part 1, Vector store files and batches). */
type Listing = 'listVectorStoreFiles' | 'listVectorStoreFileBatchFiles';

/** So many pages of one file wait to see that it has not moved. */
const WAITING = 16;
/** So many pages that lack something wait for the end of the trace. */
const LACKS = 200;
/** At most this many stores or batches are remembered; the least recently used are dropped. */
const OWNERS = 2000;
/** At most this many files of each store or batch are remembered. */
const FILES = 200;

export const byItsStatus = that<FilteredPage>(
  'whose filter is the status of the file',
  ({ status, filter }) => status === filter,
);

/** The elements of the filtered pages of a list, as far as its files did not change. */
export function filteredPages(listing: Listing): Selector<FilteredPage> {
  // A response that shows a file of a store does not show whether the file belongs to a batch.
  const own = listing === 'listVectorStoreFiles' ? [listing, 'retrieveVectorStoreFile'] : [listing];
  const operations = [...own, ...disturbing];
  return follow(
    operations,
    () => new FilteringCollector(listing),
    `a file whose status was shown before, on a page of ${listing} with a filter or after it`,
  );
}

/** A call that removes a file from its store, or adds it, perhaps once more: it is processed anew then. */
const disturbing = [
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
  'deleteVectorStoreFile',
  'deleteFile',
] as const;

/** Relates filtered pages to the calls around them that show the status of the same file. */
class FilteringCollector implements Collector<FilteredPage> {
  readonly #listing: Listing;
  readonly #owners = new LruMap<LruMap<State>>(OWNERS);
  readonly #disturbances = new ObjectEndings();
  readonly #lacks: Lack[] = [];

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
    return this.#lacks.flatMap(({ filtering: found, disturbers, since, until }) =>
      this.#disturbances.between(disturbers, since, until) ? [] : [found],
    );
  }

  /** Records a call that may have changed the status of a file, or of all files of a store. */
  #disturbed({ path, requestJson: asked, exchange }: Call): void {
    const { vector_store_id: store, file_id } = path;
    const file = file_id ?? textAt(asked, 'file_id');
    this.#disturbances.note([store, file].filter((id) => id !== undefined).join('/'), exchange);
  }

  /**
   * The statements of filtered pages before this call about a file that it shows, and those of this call if it is
   * a filtered page.
   */
  #look(files: LruMap<State>, file: string, status: string, call: Call): readonly FilteredPage[] {
    const before = files.get(file);
    const shown = filterOf(call) === null ? [] : [filtering(file, status, call, [call])];
    if (before !== undefined && !precedes(before.call.exchange, call.exchange)) return shown;
    const over = before?.pages.filter((page) => precedes(page.exchange, call.exchange)) ?? [];
    const pages = before?.pages.filter((page) => page !== call && !over.includes(page)) ?? [];
    files.set(file, { status, call, pages });
    // An added file proves nothing about the time before.
    if (before?.status !== status || call.operation.method === 'POST') return shown;
    const found = over.map((page) => filtering(file, status, page, [before.call, page, call]));
    const { vector_store_id: store } = call.path;
    const disturbers = [`${store}/${file}`, `${store}`, file];
    const span = { disturbers, since: before.call.exchange, until: call.exchange };
    const lacks = found.filter(({ isShown }) => !isShown).map((one) => ({ filtering: one, ...span }));
    this.#lacks.push(...lacks.slice(0, LACKS - this.#lacks.length));
    return [...shown, ...found.filter(({ isShown }) => isShown)];
  }

  #ownerOf({ path }: Call): string {
    const { vector_store_id: store, batch_id: batch } = path;
    return this.#listing === 'listVectorStoreFiles' ? `${store}` : `${store}/${batch}`;
  }
}

/** Adds a filtered page to those that the next report of the file decides. */
function wait({ call, pages }: State, page: Call): void {
  if (pages.length < WAITING && precedes(call.exchange, page.exchange)) pages.push(page);
}

/** Evidence that a page shows or lacks a file in this state. */
function filtering(file: string, status: string, page: Call, calls: readonly Call[]): FilteredPage {
  return {
    file,
    status,
    filter: filterOf(page) ?? '',
    isShown: elementIds(completePage(page) ?? []).includes(file),
    page,
    exchanges: calls.map(({ exchange }) => exchange),
  };
}
