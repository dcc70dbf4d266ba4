import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { filterOf, idsOf, wholePage } from '../vector-stores/page.ts';
import { telling, toldBy } from './told.ts';

/** A filtered page, and a file that was in one and the same state before and after it. */
export interface Filtering extends Evidence {
  readonly file: string;
  readonly status: string;
  readonly filter: string;
  readonly isShown: boolean;
  readonly page: Call;
}

interface State {
  readonly status: string;
  readonly call: Call;
  /** Filtered pages since then. */
  readonly pages: Call[];
}

type Listing = 'listVectorStoreFiles' | 'listVectorStoreFileBatchFiles';

/** So many pages of one file wait to see that it has not moved. */
const WAITING = 16;
const OWNERS = 2000;
const FILES = 200;

/** What belongs into the filtered pages of a list, as far as its files stood still. */
export function filterings(listing: Listing): Selector<Filtering> {
  // Whoever tells of a file of a store does not tell whether it is of a batch.
  const operations = listing === 'listVectorStoreFiles' ? [listing, ...telling.slice(0, 2)] : [listing];
  return { operations, variant: null, collect: () => new FilteringCollector(listing) };
}

class FilteringCollector implements Collector<Filtering> {
  readonly #listing: Listing;
  readonly #owners = new Keyed<Keyed<State>>(OWNERS);

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  call(call: Call): readonly Filtering[] {
    const files = this.#owners.at(this.#ownerOf(call), () => new Keyed(FILES));
    const page = call.operation.id === this.#listing && filterOf(call) !== null ? wholePage(call) : null;
    if (page !== null) for (const state of files.values()) wait(state, call);
    return toldBy(call).flatMap(({ file, value }) => {
      const status = text(value, 'status');
      return status === undefined ? [] : look(files, file, status, call);
    });
  }

  finish(): readonly Filtering[] {
    return [];
  }

  #ownerOf({ path }: Call): string {
    const { vector_store_id: store, batch_id: batch } = path;
    return this.#listing === 'listVectorStoreFiles' ? `${store}` : `${store}/${batch}`;
  }
}

function wait({ call, pages }: State, page: Call): void {
  if (pages.length < WAITING && precedes(call.exchange, page.exchange)) pages.push(page);
}

/** What filtered pages before this call say of a file that it tells of, and what this call says if it is one. */
function look(files: Keyed<State>, file: string, status: string, call: Call): readonly Filtering[] {
  const before = files.get(file);
  const isFiltered = filterOf(call) !== null;
  const shown = isFiltered ? [filtering(file, status, call, [call])] : [];
  if (before !== undefined && !precedes(before.call.exchange, call.exchange)) return shown;
  const over = before?.pages.filter((page) => precedes(page.exchange, call.exchange)) ?? [];
  const pages = before?.pages.filter((page) => page !== call && !over.includes(page)) ?? [];
  files.set(file, { status, call, pages });
  if (before?.status !== status) return shown;
  return [...shown, ...over.map((page) => filtering(file, status, page, [before.call, page, call]))];
}

function filtering(file: string, status: string, page: Call, calls: readonly Call[]): Filtering {
  return {
    file,
    status,
    filter: filterOf(page) ?? '',
    isShown: idsOf(wholePage(page) ?? []).includes(file),
    page,
    exchanges: calls.map(({ exchange }) => exchange),
  };
}
