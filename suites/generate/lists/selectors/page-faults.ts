import { violation } from '../../../vocabulary/statements.ts';
import type { Violation } from '../../../vocabulary/types.ts';
import type { ListRow } from '../rows.ts';
import type { KnownElement } from './known-elements.ts';
import { type ListElement, orderRank } from './page.ts';
import { isClosed, orderPlace, type PageView } from './page-view.ts';
import { endedBefore, type TraceSpan } from './removals.ts';
import { isAtEnd, walkIds } from './walk.ts';

/** Something wrong with a page, unless a deletion that is not known yet explains it. */
export interface PageFault {
  /** The rule that it breaks. */
  readonly of: 'after' | 'before' | 'closure' | 'has-more';
  /** The violation to report if no deletion explains the fault. */
  readonly complaint: Violation;
  /** Elements that must have been in the list all the time. */
  readonly rests: readonly KnownElement[];
  /** Since when nothing near may have been taken away; null where that does not matter. */
  readonly since: TraceSpan | null;
}

/** Where every list ends. Objects of the same second may appear in any order, so only different seconds prove an order. */
const END = Number.POSITIVE_INFINITY;

/** Part of a list between two order places, exclusive; undefined where a bound is unknown. */
interface ListInterval {
  /** The cursor that bounds it; it must have been in the list, too. */
  readonly cursor: KnownElement | null;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** All faults of a page. Closure and `has_more` are judged only where its filters never change. */
export function pageFaults(view: PageView): readonly PageFault[] {
  const sides = [...behind(view), ...inFront(view)];
  return view.page.isLasting ? [...sides, ...closure(view), ...more(view)] : sides;
}

/** Faults of a page after a cursor. */
function behind(view: PageView): PageFault[] {
  const { page, after } = view;
  if (after === null || page.before !== null) return [];
  const last = page.elements.at(-1);
  const to = page.hasMore === false || last === undefined ? END : orderPlace(page, last);
  return [
    ...besideCursor(view, 'after', after),
    ...lacking(view, 'after', { cursor: after, from: orderPlace(page, after), to }),
  ];
}

/** Faults of a page before a cursor. */
function inFront(view: PageView): PageFault[] {
  const { page, before } = view;
  if (before === null || page.after !== null) return [];
  const [first] = page.elements;
  const last = page.elements.at(-1);
  const from = first === undefined ? -END : orderPlace(page, first);
  const to = orderPlace(page, last ?? before);
  return [...besideCursor(view, 'before', before), ...lacking(view, 'before', { cursor: before, from, to })];
}

/** The cursor itself, and elements on its wrong side. */
function besideCursor({ page, judged }: PageView, of: 'after' | 'before', cursor: KnownElement): PageFault[] {
  const wrong = (element: ListElement): Violation | null => {
    const at = `/data/${element.index}`;
    if (element.id === cursor.id) return violation(`${at}/id`, 'not the cursor itself', element.id);
    const { order } = page;
    const [from, { created }] = [cursor.created, element];
    if (order === null || from === undefined || created === undefined) return null;
    const distance = orderRank(order, created) - orderRank(order, from);
    if (of === 'after' ? distance >= 0 : distance <= 0) return null;
    const side = of === 'after' ? 'behind' : 'in front of';
    const expected = `what lies ${side} the cursor, created at ${from}`;
    return violation(`${at}/created_at`, expected, created);
  };
  const own = page.elements.filter(({ id }) => id === cursor.id);
  return [...new Set([...own, ...judged])].flatMap((element) => {
    const violation = wrong(element);
    return violation === null ? [] : [{ of, complaint: violation, rests: [cursor], since: null }];
  });
}

/** Elements of the list between two positions that the page does not show. */
function lacking(
  { page, stable }: PageView,
  of: PageFault['of'],
  { cursor, from, to }: ListInterval,
): PageFault[] {
  if (from === undefined || to === undefined) return [];
  const shown = new Set(page.elements.map(({ id }) => id));
  return stable
    .filter((known) => {
      const place = orderPlace(page, known);
      return place !== undefined && place > from && place < to && !shown.has(known.id);
    })
    .map((known) => lack(of, known, cursor === null ? [] : [cursor]));
}

/** The fault of an element that the page lacks. `others` must have been in the list as well. */
function lack(of: PageFault['of'], known: KnownElement, others: readonly KnownElement[]): PageFault {
  const expected = `${known.id}, known since ${known.exchange}`;
  return { of, complaint: violation('/data', expected, undefined), rests: [known, ...others], since: null };
}

/** Faults of a complete walk: elements shown twice, and elements that it never shows. */
function closure(view: PageView): PageFault[] {
  const { walk, cursors, lasting } = view;
  if (walk === null || cursors === null || !isClosed(view)) return [];
  const ids = walkIds(walk);
  const shown = new Set(ids);
  const twice = [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))].flatMap((id): PageFault[] => {
    const known = lasting.get(id);
    if (known === undefined) return [];
    const complaint = violation('/data', 'each object once', id);
    return [{ of: 'closure', complaint, rests: [known, ...cursors], since: null }];
  });
  const lost = expected(view).filter(({ id }) => !shown.has(id));
  return [...twice, ...lost.map((known) => lack('closure', known, cursors))];
}

/** The elements that a walk has to show: all there are, those after its start, or those between its start and its end. */
function expected({ walk, page, stableInWalk, cursors }: PageView): readonly KnownElement[] {
  if (walk === null) return [];
  const isWhole = isAtEnd(walk);
  if (walk.start === null && isWhole) return stableInWalk;
  const start = cursors?.find(({ id }) => id === walk.start);
  const last = page.elements.at(-1);
  const from = walk.start === null ? -END : start && orderPlace(page, start);
  const to = isWhole ? END : last && orderPlace(page, last);
  if (from === undefined || to === undefined) return [];
  return stableInWalk.filter((known) => {
    const place = orderPlace(page, known);
    return place !== undefined && place > from && place < to;
  });
}

/** Faults of `has_more`: elements follow a page that denies them, or none follow where one was promised. */
function more(view: PageView): PageFault[] {
  const { page, walk, stable, cursors } = view;
  if (page.before !== null) return [];
  const last = page.elements.at(-1);
  const from = last === undefined || page.hasMore !== false ? undefined : orderPlace(page, last);
  const ends = lacking(view, 'has-more', { cursor: null, from, to: END }).map(
    (fault): PageFault => ({
      ...fault,
      complaint: violation('/has_more', `true, ${fault.rests[0]?.id} follows`, false),
    }),
  );
  const promise = walk?.pages.at(-2);
  if (promise === undefined || cursors === null) return ends;
  const { exchange } = promise.call;
  if (promise.hasMore === true) {
    if (mayBeTakenAway(page.row) || page.elements.length > 0) return ends;
    const expected = `an element, ${exchange.id} says that another page follows`;
    return [
      ...ends,
      { of: 'has-more', complaint: violation('/data', expected, []), rests: cursors, since: exchange },
    ];
  }
  const known = new Map(stable.filter((one) => endedBefore(one, exchange)).map((one) => [one.id, one]));
  const late = page.elements.flatMap(({ id, index }): PageFault[] => {
    const one = known.get(id);
    if (one === undefined || promise.hasMore !== false) return [];
    const expected = `nothing, ${exchange.id} says that it is the last page`;
    return [
      { of: 'has-more', complaint: violation(`/data/${index}`, expected, id), rests: [one], since: null },
    ];
  });
  return [...ends, ...late];
}

/** In a list of the organisation, others may have deleted what was promised, unless no operation deletes its elements. */
export function mayBeTakenAway({ traits, disturb }: ListRow): boolean {
  return traits.scope === 'organisation' && disturb.length > 0;
}
