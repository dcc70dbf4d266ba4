import { type Element, type Page, rank } from './page.ts';
import { isOver } from './removals.ts';
import type { Known, Roster } from './roster.ts';
import { isAtEnd, type Walk } from './walk.ts';

/** A page, and what the trace knew about its list when the page ended. */
export interface View {
  readonly page: Page;
  readonly walk: Walk | null;
  /** Elements that count: all in a list below an owner, in a list of the organisation those that the trace made. */
  readonly judged: readonly Element[];
  /** What was in the list from before the page until after it. */
  readonly stable: readonly Known[];
  /** What was in the list from before the walk until after it. */
  readonly stableInWalk: readonly Known[];
  /** The objects that the cursors of the page name, as far as they are known to be there. */
  readonly after: Known | null;
  readonly before: Known | null;
  /** The objects that the cursors of the walk name; null where one of them is not known to be there. */
  readonly cursors: readonly Known[] | null;
  /** By id, elements of the walk that are known to have been there since they were shown first. */
  readonly lasting: ReadonlyMap<string, Known>;
}

export function viewOf(page: Page, walk: Walk | null, roster: Roster): View {
  const { owners, row, elements } = page;
  const stable = roster.stable(page, page);
  const own = new Set(stable.map(({ id }) => id));
  const there = (id: string | null): Known | null => {
    const known = roster.known(owners, id);
    return known === null || roster.isGone(known, page.call.exchange) ? null : known;
  };
  const [first] = walk?.pages ?? [];
  const cursor = (id: string | null, asked: Page): Known | null => {
    const known = there(id);
    return known !== null && isOver(known, asked.call.exchange) ? known : null;
  };
  const named = (walk?.pages ?? []).flatMap((each, i, all) => {
    if (each.after === null) return [];
    const shown = all[i - 1];
    const known = shown === undefined ? cursor(each.after, each) : there(each.after);
    // What was made anew since it was shown stands elsewhere.
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

function lastingIn(walk: Walk | null, there: (id: string) => Known | null): ReadonlyMap<string, Known> {
  const found = new Map<string, Known>();
  const seen = new Set<string>();
  for (const { elements, call, row } of walk?.pages ?? []) {
    for (const { id } of elements) {
      const known = seen.has(id) ? null : there(id);
      seen.add(id);
      // Otherwise it was made anew under an old id after it was shown.
      const isOld = known !== null && known.ended <= call.exchange.ended;
      const isOwn = known !== null && (row.traits.scope === 'parent' || isOver(known, call.exchange));
      if (isOld && isOwn) found.set(id, known);
    }
  }
  return found;
}

/** Whether a walk shows a whole list, or in a list of the organisation a stretch of it. */
export function isClosed({ walk, page, cursors }: Pick<View, 'walk' | 'page' | 'cursors'>): boolean {
  if (walk === null || cursors === null || !page.isLasting) return false;
  if (walk.pages.every(({ elements }) => elements.length === 0)) return false;
  return isAtEnd(walk) || (page.row.traits.scope === 'organisation' && walk.pages.length > 1);
}

/** Where something stands in the order of a page; undefined where that is not known. */
export function placeOf({ order }: Page, { created }: Pick<Known, 'created'>): number | undefined {
  return order === null || created === undefined ? undefined : rank(order, created);
}
