// Faults of pages: elements on the wrong side of a cursor, missing and repeated elements, and a wrong `has_more`.
import { isOfUnknownCaller } from '../../judge/trace/callers.ts';
import { precedes } from '../vocabulary/collecting.ts';
import { arrayAt } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { TraceSpan, Violation } from '../vocabulary/types.ts';
import type { KnownElement, KnownElements } from './known-elements.ts';
import {
  type AnsweredPage,
  isAtEnd,
  type ListElement,
  orderPlace,
  type PageWalk,
  walkIds,
} from './list-pages.ts';
import type { ListRow } from './lists.ts';

export interface PageView {
  readonly page: AnsweredPage;
  readonly walk: PageWalk | null;
  /**
   * Elements that are judged: all in a list below an owner; in a list of the organization, those that the trace
   * created.
   */
  readonly judged: readonly ListElement[];
  /** Elements that were in the list from before the page until after it. */
  readonly stable: readonly KnownElement[];
  /** Elements that were in the list from before the walk until after it. */
  readonly stableInWalk: readonly KnownElement[];
  /** The objects of the cursors, if they are known to be in the list. */
  readonly afterElement: KnownElement | null;
  readonly beforeElement: KnownElement | null;
  /** The objects of all cursors of the walk; null if one is not known to be in the list. */
  readonly cursors: readonly KnownElement[] | null;
  /** Elements of the walk that have stayed in the list since they were first shown, by id. */
  readonly lasting: ReadonlyMap<string, KnownElement>;
}

export function pageView(page: AnsweredPage, walk: PageWalk | null, knownElements: KnownElements): PageView {
  const { row, elements } = page;
  // Elements that an unknown caller has not seen may belong to another caller.
  const isOfOthers = row.traits.scope === 'organization' && isOfUnknownCaller(page.call.exchange);
  const shownInWalk = new Set((walk?.pages ?? [page]).flatMap((one) => one.elements.map(({ id }) => id)));
  const visible = (all: readonly KnownElement[]) =>
    isOfOthers ? all.filter(({ id }) => shownInWalk.has(id)) : all;
  const stable = visible(knownElements.stable(page, page));
  const own = new Set(stable.map(({ id }) => id));
  const stillListed = (id: string | null): KnownElement | null => {
    const known = knownElements.known(page, id);
    return known === null || knownElements.isGone(known, page.call.exchange) ? null : known;
  };
  const [first = page] = walk?.pages ?? [];
  const cursor = (id: string | null, request: AnsweredPage): KnownElement | null => {
    const known = stillListed(id);
    return known !== null && precedes(known, request.call.exchange) ? known : null;
  };
  const namedCursors = (walk?.pages ?? []).flatMap((each, i, all) => {
    if (each.after === null) return [];
    const previous = all[i - 1]?.call.exchange;
    if (previous === undefined) return [cursor(each.after, each)];
    const known = stillListed(each.after);
    // An object created again since it was shown has another position.
    return [known !== null && known.ended <= previous.ended ? known : null];
  });
  const cursors = namedCursors.filter((known) => known !== null);
  return {
    page,
    walk,
    judged: row.traits.scope === 'parent' ? elements : elements.filter(({ id }) => own.has(id)),
    stable,
    stableInWalk: first === page ? stable : visible(knownElements.stable(first, page)),
    afterElement: cursor(page.after, page),
    beforeElement: cursor(page.before, page),
    cursors: cursors.length === namedCursors.length ? cursors : null,
    lasting: lastingIn(walk, stillListed),
  };
}

function lastingIn(
  walk: PageWalk | null,
  stillListed: (id: string) => KnownElement | null,
): ReadonlyMap<string, KnownElement> {
  const found = new Map<string, KnownElement>();
  const seen = new Set<string>();
  for (const { elements, call, row } of walk?.pages ?? []) {
    for (const { id } of elements) {
      const known = seen.has(id) ? null : stillListed(id);
      seen.add(id);
      // A later element was created again under the same id.
      const isOld = known !== null && known.ended <= call.exchange.ended;
      const isOwn = known !== null && (row.traits.scope === 'parent' || precedes(known, call.exchange));
      if (isOld && isOwn) found.set(id, known);
    }
  }
  return found;
}

/** Whether a walk shows a whole list or, in a list of the organization, a contiguous part of it. */
export function endsCompleteWalk({ walk, page, cursors }: PageView): boolean {
  if (walk === null || cursors === null || !page.isLasting) return false;
  if (walk.pages.every(({ elements }) => elements.length === 0)) return false;
  return isAtEnd(walk) || (page.row.traits.scope === 'organization' && walk.pages.length > 1);
}

/** A violation that a deletion may still explain. */
export interface PageFault {
  readonly of: 'after' | 'before' | 'closure' | 'has-more';
  readonly complaint: Violation;
  /** The fault holds only if these elements were in the list all the time. */
  readonly dependsOn: readonly KnownElement[];
  /** The fault holds only if no element was removed since this span; null if removals do not matter. */
  readonly since: TraceSpan | null;
}

/** The place of the end of a list in its order; the place of the beginning is `-END`. */
const END = Number.POSITIVE_INFINITY;

interface ListInterval {
  /** The cursor that bounds the interval, which must have been in the list as well. */
  readonly cursor: KnownElement | null;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The faults of a page. Missing elements of a walk are judged only for lasting filters. */
export function pageFaults(view: PageView): readonly PageFault[] {
  const sides = [...faultsAfterCursor(view), ...faultsBeforeCursor(view)];
  return [...sides, ...(view.page.isLasting ? closureFaults(view) : []), ...hasMoreFaults(view)];
}

function faultsAfterCursor(view: PageView): PageFault[] {
  const { page, afterElement: after } = view;
  if (after === null || page.before !== null) return [];
  const last = page.elements.at(-1);
  const to = page.hasMore === false || last === undefined ? END : orderPlace(page, last);
  return [
    ...misplacedElements(view, 'after', after),
    ...missingElements(view, 'after', { cursor: after, from: orderPlace(page, after), to }),
  ];
}

function faultsBeforeCursor(view: PageView): PageFault[] {
  const { page, beforeElement: before } = view;
  if (before === null || page.after !== null) return [];
  const [first] = page.elements;
  const last = page.elements.at(-1);
  const from = first === undefined ? -END : orderPlace(page, first);
  const to = orderPlace(page, last ?? before);
  return [
    ...misplacedElements(view, 'before', before),
    ...missingElements(view, 'before', { cursor: before, from, to }),
  ];
}

function misplacedElements(
  { page, judged }: PageView,
  of: 'after' | 'before',
  cursor: KnownElement,
): PageFault[] {
  const misplacement = (element: ListElement): Violation | null => {
    const at = `/data/${element.index}`;
    if (element.id === cursor.id) return violation(`${at}/id`, 'not the cursor itself', element.id);
    const [place, bound] = [orderPlace(page, element), orderPlace(page, cursor)];
    // A cursor that no longer passes the filter may be treated as unknown.
    if (!page.isLasting || place === undefined || bound === undefined) return null;
    // Objects with the same timestamp may appear in any order.
    if (of === 'after' ? place >= bound : place <= bound) return null;
    const side = of === 'after' ? 'behind' : 'in front of';
    const expected = `what lies ${side} the cursor, created at ${cursor.created}`;
    return violation(`${at}/created_at`, expected, element.created);
  };
  const own = page.elements.filter(({ id }) => id === cursor.id);
  return [...new Set([...own, ...judged])].flatMap((element) => {
    const complaint = misplacement(element);
    return complaint === null ? [] : [faultOf(of, complaint, [cursor])];
  });
}

function missingElements(
  { page, stable }: PageView,
  of: PageFault['of'],
  { cursor, from, to }: ListInterval,
): PageFault[] {
  const shown = new Set(page.elements.map(({ id }) => id));
  return elementsBetween(stable, page, from, to)
    .filter(({ id }) => !shown.has(id))
    .map((known) => missingElement(of, known, cursor === null ? [] : [cursor]));
}

/** The elements between two places in the order of a page; none if a place is unknown. */
function elementsBetween(
  elements: readonly KnownElement[],
  page: AnsweredPage,
  from: number | undefined,
  to: number | undefined,
): readonly KnownElement[] {
  if (from === undefined || to === undefined) return [];
  return elements.filter((known) => {
    const place = orderPlace(page, known);
    return place !== undefined && place > from && place < to;
  });
}

function missingElement(of: PageFault['of'], known: KnownElement, cursors: readonly KnownElement[]) {
  const complaint = violation('/data', `${known.id}, known since ${known.exchange}`, undefined);
  return faultOf(of, complaint, [known, ...cursors]);
}

function faultOf(of: PageFault['of'], complaint: Violation, dependsOn: readonly KnownElement[]): PageFault {
  return { of, complaint, dependsOn, since: null };
}

function closureFaults(view: PageView): PageFault[] {
  const { walk, cursors, lasting } = view;
  if (walk === null || cursors === null || !endsCompleteWalk(view)) return [];
  const ids = walkIds(walk);
  const shown = new Set(ids);
  const duplicates = [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))].flatMap((id) => {
    const known = lasting.get(id);
    const complaint = violation('/data', 'each object once', id);
    return known === undefined ? [] : [faultOf('closure', complaint, [known, ...cursors])];
  });
  const missing = expectedInWalk(view).filter(({ id }) => !shown.has(id));
  return [...duplicates, ...missing.map((known) => missingElement('closure', known, cursors))];
}

/** The elements that a walk must show between its start and its end. */
function expectedInWalk({ walk, page, stableInWalk, cursors }: PageView): readonly KnownElement[] {
  if (walk === null) return [];
  const isWhole = isAtEnd(walk);
  const startCursor = walk.pages[0]?.after ?? null;
  if (startCursor === null && isWhole) return stableInWalk;
  const start = cursors?.find(({ id }) => id === startCursor);
  const last = page.elements.at(-1);
  const from = startCursor === null ? -END : start && orderPlace(page, start);
  const to = isWhole ? END : last && orderPlace(page, last);
  return elementsBetween(stableInWalk, page, from, to);
}

function hasMoreFaults(view: PageView): PageFault[] {
  const { page, walk, stable, cursors } = view;
  if (page.before !== null) return [];
  const last = page.elements.at(-1);
  const from = last === undefined || page.hasMore !== false ? undefined : orderPlace(page, last);
  const endFaults = missingElements(view, 'has-more', { cursor: null, from, to: END }).map(({ dependsOn }) =>
    faultOf('has-more', violation('/has_more', `true, ${dependsOn[0]?.id} follows`, false), dependsOn),
  );
  // An empty page has no element after which the next page could start.
  if (page.hasMore === true && isEmptyEnd(view)) {
    const complaint = violation('/has_more', 'false, the page is empty', true);
    return [...endFaults, faultOf('has-more', complaint, [])];
  }
  const promise = page.isLasting ? walk?.pages.at(-2) : undefined;
  if (promise === undefined || cursors === null) return endFaults;
  const { exchange } = promise.call;
  if (promise.hasMore === true) {
    if (mayBeTakenAway(page.row) || page.elements.length > 0) return endFaults;
    const complaint = violation('/data', `an element, ${exchange.id} says that another page follows`, []);
    return [...endFaults, { of: 'has-more', complaint, dependsOn: cursors, since: exchange }];
  }
  const earlier = new Map(stable.filter((one) => precedes(one, exchange)).map((one) => [one.id, one]));
  const lateFaults = page.elements.flatMap(({ id, index }) => {
    const known = earlier.get(id);
    if (known === undefined || promise.hasMore !== false) return [];
    const expected = `nothing, ${exchange.id} says that it is the last page`;
    return [faultOf('has-more', violation(`/data/${index}`, expected, id), [known])];
  });
  return [...endFaults, ...lateFaults];
}

/**
 * Whether a page is empty although its `limit` permits elements. The effect of an unknown cursor is left open, so its element must
 * have been listed.
 */
export function isEmptyEnd({ page, walk, afterElement }: PageView): boolean {
  const { call, limit, before } = page;
  if (before !== null || arrayAt(call.responseJson, 'data').length > 0) return false;
  const isKnown = page.after === null || afterElement !== null || (walk?.pages.length ?? 0) > 1;
  return isKnown && (limit === null || /^[1-9]\d*$/.test(limit));
}

/** Whether other clients may have deleted the element that `has_more` promised. */
export function mayBeTakenAway({ traits, disturb }: ListRow): boolean {
  return traits.scope === 'organization' && disturb.length > 0;
}
