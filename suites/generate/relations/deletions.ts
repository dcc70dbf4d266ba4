import type { Call } from '../../../judge/call.ts';
import { get, list, text } from '../../../judge/json.ts';
import { Keyed } from '../../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../../judge/requirement.ts';
import { isOver, type Span } from '../lists/removals.ts';
import { type Resource, restored, restoring } from './resource.ts';

/** So many lists are kept in mind, so many deletions of each, and so many pages that wait for the end of the trace. */
const LISTS = 1000;
const ELEMENTS = 1000;
const WAITING = 64;

/** A page, and what had been deleted from its list before it began. */
export interface Thinned extends Evidence {
  readonly page: Call;
  /** Id of the deletion by id of the object. */
  readonly deleted: ReadonlyMap<string, string>;
}

/** Every page that began after something was deleted from its list. */
export function afterDeletions(resource: Resource, remove: string, listing: string): Selector<Thinned> {
  return {
    operations: [listing, remove, ...restoring(resource)],
    variant: resource.variant ?? null,
    everyVariant: [remove],
    collect: () => new Deletions(remove, listing),
  };
}

class Deletions implements Collector<Thinned> {
  readonly #remove: string;
  readonly #listing: string;
  readonly #deleted = new Keyed<Keyed<Span & { readonly by: string }>>(LISTS);
  /** When something was made last, by ordinal. */
  readonly #makings = new Keyed<number>(ELEMENTS);
  #waiting: Thinned[] = [];

  constructor(remove: string, listing: string) {
    this.#remove = remove;
    this.#listing = listing;
  }

  call(call: Call): readonly Thinned[] {
    const { exchange, operation, path } = call;
    if (operation.id === this.#listing) return this.#page(call);
    const ids = Object.values(path);
    if (operation.id === this.#remove) {
      const id = ids.pop();
      if (id === undefined || get(call.answer, 'deleted') !== true) return [];
      const { after, ended } = exchange;
      const made = this.#makings.get(JSON.stringify([...ids, id])) ?? 0;
      // Of a deletion and a making at the same time nobody knows which came last.
      if (made <= after) this.#of(ids).set(id, { after, ended, by: exchange.id });
      else this.#of(ids).delete(id);
    } else if (call.outcome !== 'rejected') {
      // Made again under the same id, such as a file that is attached once more.
      for (const id of restored(call)) this.#made(ids, id, exchange);
    }
    return [];
  }

  finish(): readonly Thinned[] {
    return this.#waiting;
  }

  #made(owners: readonly string[], id: string, making: Span): void {
    this.#of(owners).delete(id);
    this.#makings.set(JSON.stringify([...owners, id]), making.ended);
    this.#waiting = this.#waiting.map((thinned) => {
      if (isOver(thinned.page.exchange, making)) return thinned;
      const deleted = new Map(thinned.deleted);
      deleted.delete(id);
      return { ...thinned, deleted };
    });
  }

  #page(page: Call): readonly Thinned[] {
    if (page.answer === undefined) return [];
    const over = [...this.#of(Object.values(page.path)).entries()].filter(([, span]) =>
      isOver(span, page.exchange),
    );
    if (over.length === 0) return [];
    const deleted = new Map(over.map(([id, { by }]) => [id, by]));
    const thinned = { page, deleted, exchanges: [page.exchange] };
    const isClean = list(page.answer, 'data').every((element) => !deleted.has(text(element, 'id') ?? ''));
    if (isClean) return [thinned];
    // It may be there again: that shows only when what was under way has ended.
    if (this.#waiting.length < WAITING) this.#waiting.push(thinned);
    return [];
  }

  #of(owners: readonly string[]): Keyed<Span & { readonly by: string }> {
    return this.#deleted.at(JSON.stringify(owners), () => new Keyed(ELEMENTS));
  }
}
