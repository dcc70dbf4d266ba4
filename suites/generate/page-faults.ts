import { precedes } from '../vocabulary/collecting.ts';
import { violation } from '../vocabulary/statements.ts';
import type { TraceSpan, Violation } from '../vocabulary/types.ts';
import type { KnownElement } from './known-elements.ts';
import { isAtEnd, type ListElement, type ListPage, orderPlace, walkIds } from './list-pages.ts';
import type { ListRow } from './lists.ts';
import { endsCompleteWalk, isEmptyEnd, type PageView } from './page-view.ts';

type FaultRule = 'after' | 'before' | 'closure' | 'has-more';

/** A violation, and the facts on which it depends: a later call may refute them. */
export interface PageFault {
  readonly rule: FaultRule;
  readonly complaint: Violation;
  /** The fault holds only if none of these elements left the list in the meantime. */
  readonly dependsOn: readonly KnownElement[];
  /** The fault holds only if no call changed the list since this span; null if such changes do not matter. */
  readonly since: TraceSpan | null;
}

/** The end of a list as a place in its order (`orderPlace`); the beginning is `-END`. */
const END = Number.POSITIVE_INFINITY;

interface ListInterval {
  /** The cursor that bounds the interval; it must have been in the list as well. */
  readonly cursor: KnownElement | null;
  /** Places in the order of the list (`orderPlace`), both exclusive; undefined if unknown. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export function pageFaults(view: PageView): readonly PageFault[] {
  return [
    ...faultsAfterCursor(view),
    ...faultsBeforeCursor(view),
    ...closureFaults(view),
    ...hasMoreFaults(view),
  ];
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
  side: 'after' | 'before',
  cursor: KnownElement,
): PageFault[] {
  const findMisplacement = (element: ListElement): Violation | null => {
    const at = `/data/${element.index}`;
    if (element.id === cursor.id) return violation(`${at}/id`, 'not the cursor itself', element.id);
    const [place, bound] = [orderPlace(page, element), orderPlace(page, cursor)];
    // If the filter no longer selects the element of the cursor, a service may treat the cursor as unknown.
    if (!page.isLasting || place === undefined || bound === undefined) return null;
    // Objects with the same timestamp may appear in any order.
    if (side === 'after' ? place >= bound : place <= bound) return null;
    const expected = `an element ${side} the cursor, created at ${cursor.created}`;
    return violation(`${at}/created_at`, expected, element.created);
  };
  const repeatedCursor = page.elements.filter(({ id }) => id === cursor.id);
  return [...new Set([...repeatedCursor, ...judged])].flatMap((element) => {
    const complaint = findMisplacement(element);
    return complaint === null ? [] : [faultOf(side, complaint, [cursor])];
  });
}

function missingElements(
  { page, stable }: PageView,
  rule: FaultRule,
  { cursor, from, to }: ListInterval,
): PageFault[] {
  const shown = new Set(page.elements.map(({ id }) => id));
  return elementsBetween(stable, page, from, to)
    .filter(({ id }) => !shown.has(id))
    .map((known) => missingElement(rule, known, cursor === null ? [] : [cursor]));
}

function elementsBetween(
  elements: readonly KnownElement[],
  page: ListPage,
  from: number | undefined,
  to: number | undefined,
): readonly KnownElement[] {
  if (from === undefined || to === undefined) return [];
  return elements.filter((known) => {
    const place = orderPlace(page, known);
    return place !== undefined && place > from && place < to;
  });
}

function missingElement(rule: FaultRule, known: KnownElement, cursors: readonly KnownElement[]): PageFault {
  const complaint = violation('/data', `${known.id}, known since ${known.exchange}`, undefined);
  return faultOf(rule, complaint, [known, ...cursors]);
}

function faultOf(rule: FaultRule, complaint: Violation, dependsOn: readonly KnownElement[]): PageFault {
  return { rule, complaint, dependsOn, since: null };
}

function closureFaults(view: PageView): PageFault[] {
  const { walk, cursors, lasting } = view;
  if (walk === null || cursors === null || !endsCompleteWalk(view)) return [];
  const shown = new Set<string>();
  const repeated = new Set<string>();
  for (const id of walkIds(walk)) (shown.has(id) ? repeated : shown).add(id);
  const duplicates = [...repeated].flatMap((id) => {
    const known = lasting.get(id);
    const complaint = violation('/data', 'each object once', id);
    return known === undefined ? [] : [faultOf('closure', complaint, [known, ...cursors])];
  });
  const missing = expectedInWalk(view).filter(({ id }) => !shown.has(id));
  return [...duplicates, ...missing.map((known) => missingElement('closure', known, cursors))];
}

function expectedInWalk({ walk, page, stableInWalk, cursors }: PageView): readonly KnownElement[] {
  if (walk === null) return [];
  const endsList = isAtEnd(walk);
  const startCursor = walk.pages[0]?.after ?? null;
  if (startCursor === null && endsList) return stableInWalk;
  const start = cursors?.find(({ id }) => id === startCursor);
  const last = page.elements.at(-1);
  const from = startCursor === null ? -END : start && orderPlace(page, start);
  const to = endsList ? END : last && orderPlace(page, last);
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
  const previous = page.isLasting ? walk?.pages.at(-2) : undefined;
  if (previous === undefined || cursors === null) return endFaults;
  const { exchange } = previous.call;
  if (previous.hasMore === true) {
    if (mayBeDeletedByOthers(page.row) || page.elements.length > 0) return endFaults;
    const complaint = violation('/data', `an element, ${exchange.id} says that another page follows`, []);
    return [...endFaults, { rule: 'has-more', complaint, dependsOn: cursors, since: exchange }];
  }
  if (previous.hasMore !== false) return endFaults;
  const isEarlier = (known: KnownElement) => precedes(known, exchange);
  const earlier = new Map(stable.filter(isEarlier).map((known) => [known.id, known]));
  const lateFaults = page.elements.flatMap(({ id, index }) => {
    const known = earlier.get(id);
    if (known === undefined) return [];
    const expected = `nothing, ${exchange.id} says that it is the last page`;
    return [faultOf('has-more', violation(`/data/${index}`, expected, id), [known])];
  });
  return [...endFaults, ...lateFaults];
}

/** Whether other clients may delete elements of the list, so that `has_more` can promise one that is gone later. */
export function mayBeDeletedByOthers({ traits, changedBy }: ListRow): boolean {
  return traits.scope === 'organization' && changedBy.length > 0;
}
