import type { KnownElement, KnownElements } from './known-elements.ts';
import { type AnsweredPage, type ListElement, orderRank } from './page.ts';
import { endedBefore } from './removals.ts';
import { isAtEnd, type PageWalk } from './walk.ts';

/** A page, and what the trace knew about its list when the page ended. */
export interface PageView {
  readonly page: AnsweredPage;
  readonly walk: PageWalk | null;
  /** Elements that count: all in a list below an owner, in a list of the organisation those that the trace made. */
  readonly judged: readonly ListElement[];
  /** Elements that were in the list from before the page until after it. */
  readonly stable: readonly KnownElement[];
  /** Elements that were in the list from before the walk until after it. */
  readonly stableInWalk: readonly KnownElement[];
  /** The objects that the cursors of the page name, as far as they are known to be there. */
  readonly after: KnownElement | null;
  readonly before: KnownElement | null;
  /** The objects that the cursors of the walk name; null where one of them is not known to be there. */
  readonly cursors: readonly KnownElement[] | null;
  /** By id, elements of the walk that are known to have been there since they were shown first. */
  readonly lasting: ReadonlyMap<string, KnownElement>;
}

/** The facts about a page at the moment of its response, from its walk and from the known elements. */
export function pageView(page: AnsweredPage, walk: PageWalk | null, roster: KnownElements): PageView {
  const { row, elements } = page;
  const stable = roster.stable(page, page);
  const own = new Set(stable.map(({ id }) => id));
  const there = (id: string | null): KnownElement | null => {
    const known = roster.known(page, id);
    return known === null || roster.isGone(known, page.call.exchange) ? null : known;
  };
  const [first] = walk?.pages ?? [];
  const cursor = (id: string | null, asked: AnsweredPage): KnownElement | null => {
    const known = there(id);
    return known !== null && endedBefore(known, asked.call.exchange) ? known : null;
  };
  const named = (walk?.pages ?? []).flatMap((each, i, all) => {
    if (each.after === null) return [];
    const shown = all[i - 1];
    const known = shown === undefined ? cursor(each.after, each) : there(each.after);
    // An object created again since it was shown has another position.
    return [
      known !== null && (shown === undefined || known.ended <= shown.call.exchange.ended) ? known : null,
    ];
  });
  const known = named.filter((one) => one !== null);
  return {
    page,
    walk,
    judged: row.traits.scope === 'parent' ? elements : elements.filter(({ id }) => own.has(id)),
    stable,
    stableInWalk: first === undefined ? [] : roster.stable(first, page),
    after: cursor(page.after, page),
    before: cursor(page.before, page),
    cursors: known.length === named.length ? known : null,
    lasting: lastingIn(walk, there),
  };
}

function lastingIn(
  walk: PageWalk | null,
  there: (id: string) => KnownElement | null,
): ReadonlyMap<string, KnownElement> {
  const found = new Map<string, KnownElement>();
  const seen = new Set<string>();
  for (const { elements, call, row } of walk?.pages ?? []) {
    for (const { id } of elements) {
      const known = seen.has(id) ? null : there(id);
      seen.add(id);
      // Otherwise it was made anew under an old id after it was shown.
      const isOld = known !== null && known.ended <= call.exchange.ended;
      const isOwn = known !== null && (row.traits.scope === 'parent' || endedBefore(known, call.exchange));
      if (isOld && isOwn) found.set(id, known);
    }
  }
  return found;
}

/** Whether a walk shows a whole list, or in a list of the organisation a stretch of it. */
export function isClosed({ walk, page, cursors }: Pick<PageView, 'walk' | 'page' | 'cursors'>): boolean {
  if (walk === null || cursors === null || !page.isLasting) return false;
  if (walk.pages.every(({ elements }) => elements.length === 0)) return false;
  return isAtEnd(walk) || (page.row.traits.scope === 'organisation' && walk.pages.length > 1);
}

/** Where something stands in the order of a page; undefined where that is not known. */
export function orderPlace(
  { order }: AnsweredPage,
  { created }: Pick<KnownElement, 'created'>,
): number | undefined {
  return order === null || created === undefined ? undefined : orderRank(order, created);
}
