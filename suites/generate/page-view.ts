import { isOfUnknownCaller } from '../../judge/trace/caller-identity.ts';
import { precedes } from '../vocabulary/collecting.ts';
import { arrayAt } from '../vocabulary/json.ts';
import type { KnownElement, KnownElements } from './known-elements.ts';
import { isAtEnd, type ListElement, type ListPage, type PageWalk } from './list-pages.ts';

export interface PageView {
  readonly page: ListPage;
  readonly walk: PageWalk | null;
  /** The elements to judge: all of a list below an owner, but only `stable` ones of a list of the organization. */
  readonly judged: readonly ListElement[];
  /** Elements that were in the list from before the page until after it. */
  readonly stable: readonly KnownElement[];
  /** Elements that were in the list from before the walk until after it. */
  readonly stableInWalk: readonly KnownElement[];
  /** The objects of the cursors `after` and `before`; null if not known to be in the list. */
  readonly afterElement: KnownElement | null;
  readonly beforeElement: KnownElement | null;
  /** The objects of all cursors of the walk; null if one is not known to be in the list. */
  readonly cursors: readonly KnownElement[] | null;
  /** Elements of the walk that have stayed in the list since they were first shown, by id. */
  readonly lasting: ReadonlyMap<string, KnownElement>;
}

export function pageView(page: ListPage, walk: PageWalk | null, knownElements: KnownElements): PageView {
  const { row, elements } = page;
  // Elements that an unknown caller has not seen may belong to another caller.
  const mayBeOfOthers = row.traits.scope === 'organization' && isOfUnknownCaller(page.call.exchange);
  const shownInWalk = new Set((walk?.pages ?? [page]).flatMap((shown) => shown.elements.map(({ id }) => id)));
  const selectVisible = (all: readonly KnownElement[]) =>
    mayBeOfOthers ? all.filter(({ id }) => shownInWalk.has(id)) : all;
  const stable = selectVisible(knownElements.findStable(page, page));
  const stableIds = new Set(stable.map(({ id }) => id));
  const findStillListed = (id: string | null): KnownElement | null => {
    const known = knownElements.find(page, id);
    return known === null || knownElements.isGone(known, page.call.exchange) ? null : known;
  };
  const [first = page] = walk?.pages ?? [];
  const findCursor = (id: string | null, requestedPage: ListPage): KnownElement | null => {
    const known = findStillListed(id);
    return known !== null && precedes(known, requestedPage.call.exchange) ? known : null;
  };
  const namedCursors = (walk?.pages ?? []).flatMap((each, i, all) => {
    if (each.after === null) return [];
    const previous = all[i - 1]?.call.exchange;
    if (previous === undefined) return [findCursor(each.after, each)];
    const known = findStillListed(each.after);
    // An object that was created again after the previous page showed it has another position.
    return [known !== null && known.ended <= previous.ended ? known : null];
  });
  const cursors = namedCursors.filter((known) => known !== null);
  return {
    page,
    walk,
    judged: row.traits.scope === 'parent' ? elements : elements.filter(({ id }) => stableIds.has(id)),
    stable,
    stableInWalk: first === page ? stable : selectVisible(knownElements.findStable(first, page)),
    afterElement: findCursor(page.after, page),
    beforeElement: findCursor(page.before, page),
    cursors: cursors.length === namedCursors.length ? cursors : null,
    lasting: lastingIn(walk, findStillListed),
  };
}

function lastingIn(
  walk: PageWalk | null,
  findStillListed: (id: string) => KnownElement | null,
): ReadonlyMap<string, KnownElement> {
  const lasting = new Map<string, KnownElement>();
  const seen = new Set<string>();
  for (const { elements, call, row } of walk?.pages ?? []) {
    for (const { id } of elements) {
      const known = seen.has(id) ? null : findStillListed(id);
      seen.add(id);
      // If the known element is more recent than the page, it was created again under the same id.
      const isOld = known !== null && known.ended <= call.exchange.ended;
      const isOwn = known !== null && (row.traits.scope === 'parent' || precedes(known, call.exchange));
      if (isOld && isOwn) lasting.set(id, known);
    }
  }
  return lasting;
}

/** Whether a walk shows a list from its start to its end or, in a list of the organization, a contiguous part of it. */
export function endsCompleteWalk({ walk, page, cursors }: PageView): boolean {
  if (walk === null || cursors === null || !page.isLasting) return false;
  if (walk.pages.every(({ elements }) => elements.length === 0)) return false;
  return isAtEnd(walk) || (page.row.traits.scope === 'organization' && walk.pages.length > 1);
}

/**
 * Whether a page is empty because nothing follows: its `limit` must be valid and its cursor, if it has one, in the
 * list, because the specification leaves the effects of others open.
 */
export function isEmptyEnd({ page, walk, afterElement }: PageView): boolean {
  const { call, limit, maxElements, before } = page;
  if (before !== null || arrayAt(call.responseJson, 'data').length > 0) return false;
  const isKnown = page.after === null || afterElement !== null || (walk?.pages.length ?? 0) > 1;
  return isKnown && (limit === null || maxElements !== null);
}
