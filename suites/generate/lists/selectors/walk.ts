import { LruMap } from '../../../vocabulary/collecting.ts';
import { type AnsweredPage, listSeries } from './page.ts';
import { endedBefore } from './removals.ts';

/** Pages, each asked for by the last id of the one before it. */
export interface PageWalk {
  /** The cursor that the first page came after; null where it began at the beginning. */
  readonly start: string | null;
  readonly pages: readonly AnsweredPage[];
}

/** A walk is not followed further than this. */
const PAGES = 20;
/** So many ends of walks are kept in mind, least recently used dropped. */
const WALKS = 32;

/** Finds the walks in the pages of one list operation. */
export class PageWalks {
  readonly #byEnd = new LruMap<PageWalk>(WALKS);

  /** The walk that a page is the last of, so far; null where it asks for what lies before a cursor. */
  step(page: AnsweredPage): PageWalk | null {
    const { after, before } = page;
    if (before !== null) return null;
    const known = after === null ? undefined : this.#byEnd.get(endOf(page, after));
    const last = known?.pages.at(-1);
    const goesOn =
      known !== undefined &&
      last !== undefined &&
      known.pages.length < PAGES &&
      endedBefore(last.call.exchange, page.call.exchange);
    const walk = goesOn
      ? { start: known.start, pages: [...known.pages, page] }
      : { start: after, pages: [page] };
    const end = page.elements.at(-1);
    if (end !== undefined) this.#byEnd.set(endOf(page, end.id), walk);
    return walk;
  }
}

/** True when nothing follows any more. */
export function isAtEnd({ pages }: PageWalk): boolean {
  const last = pages.at(-1);
  return last !== undefined && (last.hasMore === false || last.elements.length === 0);
}

/** Ids in the order of a walk. */
export function walkIds({ pages }: PageWalk): readonly string[] {
  return pages.flatMap(({ elements }) => elements.map(({ id }) => id));
}

/** Key of a walk that can be continued with this id as its cursor. */
function endOf(page: AnsweredPage, id: string): string {
  return JSON.stringify([listSeries(page), id]);
}
