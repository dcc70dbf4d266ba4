import { type Page, rank } from './page.ts';
import type { Known } from './roster.ts';
import { idsOf, isAtEnd, type Walk } from './walk.ts';

/** What is known to be in a list and yet is not where it belongs. Objects of the same second may change places. */
export interface Gaps {
  /** Between the cursor of `after` and the end of the page; of the list where nothing more follows. */
  readonly after: readonly Known[];
  /** Within a page before a cursor, or anywhere before it where the page is empty. */
  readonly before: readonly Known[];
  /** Behind the last element of a page that says that nothing more follows. */
  readonly end: readonly Known[];
  /** Anywhere in a walk to the end. */
  readonly walk: readonly Known[];
}

/** Where every list ends. */
const END = Number.POSITIVE_INFINITY;

export const noGaps: Gaps = { after: [], before: [], end: [], walk: [] };

/** The gaps of a page, given what was in the list all the time. */
export function gapsOf(page: Page, stable: readonly Known[], cursors: Cursors): Omit<Gaps, 'walk'> {
  const { order, elements, hasMore } = page;
  if (order === null || elements.some(({ created }) => created === undefined)) return noGaps;
  const shown = new Set(elements.map(({ id }) => id));
  const placed = stable.flatMap((known) => {
    const place = placeOf(page, known);
    return shown.has(known.id) || place === undefined ? [] : [{ known, place }];
  });
  const between = (from: number, to: number): readonly Known[] =>
    placed.filter(({ place }) => place > from && place < to).map(({ known }) => known);
  const [first, last] = [elements[0], elements.at(-1)].map((element) => element && placeOf(page, element));
  const [after, before] = [cursors.after, cursors.before].map((known) => known && placeOf(page, known));
  const isBehind = typeof after === 'number' && page.before === null;
  const isInFront = typeof before === 'number' && page.after === null;
  return {
    after: isBehind ? between(after, hasMore === false || last === undefined ? END : last) : [],
    before: isInFront ? between(first ?? -END, last ?? before) : [],
    end: hasMore === false && page.before === null && last !== undefined ? between(last, END) : [],
  };
}

export interface Cursors {
  readonly after: Known | null;
  readonly before: Known | null;
}

/** What a walk to the end does not show, given what was in the list all the time. */
export function gapsOfWalk(walk: Walk, stable: readonly Known[], start: Known | null): readonly Known[] {
  const [page] = walk.pages;
  if (page === undefined || !isAtEnd(walk)) return [];
  const shown = new Set(idsOf(walk));
  const from = walk.start === null ? -END : start && placeOf(page, start);
  if (typeof from !== 'number') return [];
  return stable.filter((known) => {
    if (shown.has(known.id) || known.id === walk.start) return false;
    return walk.start === null || (placeOf(page, known) ?? from) > from;
  });
}

function placeOf({ order }: Page, { created }: { readonly created: number | undefined }): number | undefined {
  return order === null || created === undefined ? undefined : rank(order, created);
}
