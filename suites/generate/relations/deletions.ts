// Evidence about lists after deletions. An object that was created again under its id counts as present, and
// overlapping exchanges prove nothing.
import type { OutsideCall } from '../../../judge/trace/outside-call.ts';

import { LruMap } from '../../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../../vocabulary/types.ts';
import { endedBefore, type TraceSpan } from '../lists/selectors/removals.ts';
import { type Resource, restoredIds, restoringOperations } from './resource.ts';

/** So many lists are kept in mind, so many deletions of each, and so many pages that wait for the end of the trace. */
const LISTS = 1000;
const ELEMENTS = 1000;
/** At most this many pages wait for later exchanges that may explain them. */
const WAITING = 64;

/** A page, and what had been deleted from its list before it began. */
export interface PageAfterDeletion extends Evidence {
  readonly page: Call;
  /** Id of the deletion by id of the object. */
  readonly deleted: ReadonlyMap<string, string>;
}

/** Every page that began after something was deleted from its list. */
export function pagesAfterDeletion(
  resource: Resource,
  remove: string,
  listing: string,
): Selector<PageAfterDeletion> {
  return {
    operations: [listing, remove, ...restoringOperations(resource)],
    variant: resource.variant ?? null,
    everyVariant: [remove],
    needs: `a page of ${listing} that began after ${remove} had answered with 2xx`,
    collect: () => new Deletions(remove, listing),
  };
}

/** Relates accepted deletions to later pages of the list. */
class Deletions implements Collector<PageAfterDeletion> {
  readonly #remove: string;
  readonly #listing: string;
  readonly #deleted = new LruMap<LruMap<TraceSpan & { readonly by: string }>>(LISTS);
  /** When something was made last, by ordinal. */
  readonly #makings = new LruMap<number>(ELEMENTS);
  #waiting: PageAfterDeletion[] = [];

  constructor(remove: string, listing: string) {
    this.#remove = remove;
    this.#listing = listing;
  }

  call(call: Call): readonly PageAfterDeletion[] {
    const { exchange, operation, path } = call;
    if (operation.id === this.#listing) return this.#page(call);
    const ids = Object.values(path);
    if (operation.id === this.#remove) {
      const id = ids.pop();
      if (id === undefined || valueAtPath(call.responseJson, 'deleted') !== true) return [];
      const { after, ended } = exchange;
      const made = this.#makings.get(JSON.stringify([...ids, id])) ?? 0;
      // The order of a deletion and a creation at the same time is unknown.
      if (made <= after) this.#of(ids).set(id, { after, ended, by: exchange.id });
      else this.#of(ids).delete(id);
    } else if (call.responseClass !== 'rejected') {
      // Made again under the same id, such as a file that is attached once more.
      for (const id of restoredIds(call)) this.#made(ids, id, exchange);
    }
    return [];
  }

  /** It may have restored its target. */
  outside({ exchange, target, owners, deletes }: OutsideCall): void {
    if (!deletes) this.#made(owners, target, exchange);
  }

  finish(): readonly PageAfterDeletion[] {
    return this.#waiting;
  }

  /** A new creation under a deleted id ends the deletion. */
  #made(owners: readonly string[], id: string, making: TraceSpan): void {
    this.#of(owners).delete(id);
    this.#makings.set(JSON.stringify([...owners, id]), making.ended);
    this.#waiting = this.#waiting.map((page) => {
      if (endedBefore(page.page.exchange, making)) return page;
      const deleted = new Map(page.deleted);
      deleted.delete(id);
      return { ...page, deleted };
    });
  }

  /** Evidence for a page that was requested after deletions in its list. */
  #page(page: Call): readonly PageAfterDeletion[] {
    if (page.responseJson === undefined) return [];
    const over = [...this.#of(Object.values(page.path)).entries()].filter(([, span]) =>
      endedBefore(span, page.exchange),
    );
    if (over.length === 0) return [];
    const deleted = new Map(over.map(([id, { by }]) => [id, by]));
    const thinned = { page, deleted, exchanges: [page.exchange] };
    const isClean = arrayAt(page.responseJson, 'data').every(
      (element) => !deleted.has(textAt(element, 'id') ?? ''),
    );
    if (isClean) return [thinned];
    // It may be there again: that shows only when what was under way has ended.
    if (this.#waiting.length < WAITING) this.#waiting.push(thinned);
    return [];
  }

  #of(owners: readonly string[]): LruMap<TraceSpan & { readonly by: string }> {
    return this.#deleted.at(JSON.stringify(owners), () => new LruMap(ELEMENTS));
  }
}
