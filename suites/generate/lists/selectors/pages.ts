import type { OutsideCall } from '../../../../judge/trace/outside-call.ts';
import { LruMap } from '../../../vocabulary/collecting.ts';
import { that } from '../../../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Selector } from '../../../vocabulary/types.ts';
import type { ListRow } from '../rows.ts';
import { type KnownElement, KnownElements } from './known-elements.ts';
import { type AnsweredPage, listSeries, pageOf } from './page.ts';
import { type PageFault, pageFaults } from './page-faults.ts';
import { type PageView, pageView } from './page-view.ts';
import { endedBefore } from './removals.ts';
import { type PageWalk, PageWalks } from './walk.ts';

/** A page of a list, and the facts that the trace shows about it. */
export interface ListedPage extends Evidence, PageView {
  /** Its faults, as far as finding them needs more than the page itself. */
  readonly faults: readonly PageFault[];
  /** Its elements, as far as an earlier exchange showed them. */
  readonly known: readonly KnownElement[];
  /** The page that differs only in naming the default `limit`, or in not naming it. */
  readonly twin: AnsweredPage | null;
  /** The latest page that showed the whole list in this order, and in the other one. */
  readonly whole: AnsweredPage | null;
  readonly opposite: AnsweredPage | null;
}

/** So many pages with faults wait for the end of the trace; further ones are lost evidence. */
const WAITING = 64;
/** So many pages to compare others with are kept in mind. */
const KEPT = 16;

/** One selector for each list, so that all requirements of the list share its evidence. */
const selectors = new Map<string, Selector<ListedPage>>();

/** Every page of a list. A page with faults is reported at the end of the trace, when no deletion can overlap it any more. */
export function listedPages(row: ListRow): Selector<ListedPage> {
  const known = selectors.get(row.subject);
  if (known !== undefined) return known;
  const { operation, variant, create, disturb } = row;
  const selector: Selector<ListedPage> = {
    operations: [operation.id, ...(create === null ? [] : [create]), ...disturb],
    variant: row.isOneOfTwo && variant.name !== 'only' ? variant.name : null,
    everyVariant: disturb,
    needs: `a page of ${operation.id}`,
    collect: () => new PageCollector(row),
  };
  selectors.set(row.subject, selector);
  return selector;
}

export const withElements = that<ListedPage>('with an element', ({ page }) => page.elements.length > 0);

/**
 * Relates the pages of one list to the calls around them. Its memory is bounded; dropped state only loses
 * evidence.
 */
class PageCollector implements Collector<ListedPage> {
  readonly #row: ListRow;
  readonly #roster: KnownElements;
  readonly #walks = new PageWalks();
  readonly #latest = new LruMap<AnsweredPage>(KEPT);
  readonly #whole = new LruMap<AnsweredPage>(KEPT);
  #waiting: ListedPage[] = [];

  constructor(row: ListRow) {
    this.#row = row;
    this.#roster = new KnownElements(row);
  }

  call(call: Call): readonly ListedPage[] {
    const { id } = call.operation;
    if (id === this.#row.create) this.#roster.made(call);
    if (this.#row.disturb.includes(id)) {
      this.#roster.disturbed(call);
      this.#clear();
    }
    const page = id === this.#row.operation.id ? pageOf(this.#row, call) : null;
    return page === null ? [] : this.#page(page);
  }

  outside(call: OutsideCall): void {
    this.#roster.outside(call);
    this.#clear();
  }

  finish(): readonly ListedPage[] {
    return this.#waiting;
  }

  #page(page: AnsweredPage): readonly ListedPage[] {
    const walk = this.#walks.step(page);
    // Elements that a walk shows are known to its later pages, but not to the page itself.
    const listed = this.#listed(page, walk);
    this.#roster.saw(page);
    this.#latest.set(likeness(page, page.limit), page);
    if (isCompleteList(page)) this.#whole.set(wholeKey(page, page.order), page);
    if (listed.faults.length === 0) return [listed];
    if (this.#waiting.length < WAITING) this.#waiting.push(listed);
    return [];
  }

  /** The evidence of a page, with its faults as far as they are known at its response. */
  #listed(page: AnsweredPage, walk: PageWalk | null): ListedPage {
    const view = pageView(page, walk, this.#roster);
    return {
      ...view,
      exchanges: (walk?.pages ?? [page]).map(({ call }) => call.exchange),
      faults: pageFaults(view).filter((fault) => !this.#isExplained(fault, page)),
      known: page.elements.flatMap(({ id }) => this.#roster.known(page, id) ?? []),
      twin: this.#twin(page),
      whole: this.#earlier(page, wholeKey(page, page.order)),
      opposite: this.#earlier(page, wholeKey(page, page.order === 'asc' ? 'desc' : 'asc')),
    };
  }

  /** Clears pages of what a deletion may explain, now that it is known. */
  #clear(): void {
    const isGone = (known: KnownElement | null, { call: { exchange } }: AnsweredPage): boolean =>
      known !== null && this.#roster.isGone(known, exchange);
    this.#waiting = this.#waiting.map((listed) => {
      const { page, after, before, cursors } = listed;
      return {
        ...listed,
        after: isGone(after, page) ? null : after,
        before: isGone(before, page) ? null : before,
        cursors: cursors?.some((cursor) => isGone(cursor, page)) ? null : cursors,
        faults: listed.faults.filter((fault) => !this.#isExplained(fault, page)),
      };
    });
  }

  #isExplained({ rests, since }: PageFault, { call: { exchange }, owners }: AnsweredPage): boolean {
    if (rests.some((known) => this.#roster.isGone(known, exchange))) return true;
    return since !== null && this.#roster.isDisturbed(owners, since, exchange);
  }

  /**
   * The latest page of the same request but for `limit`: one of the two leaves it out, the other states its
   * default. Null where none ended before.
   */
  #twin(page: AnsweredPage): AnsweredPage | null {
    const limit = String(this.#row.traits.defaultLimit);
    if (!page.isLasting || (page.limit !== null && page.limit !== limit)) return null;
    const other = this.#latest.get(likeness(page, page.limit === null ? limit : null));
    return other !== undefined && endedBefore(other.call.exchange, page.call.exchange) ? other : null;
  }

  /** The latest complete list under this key, if it ended before this page began; else null. */
  #earlier(page: AnsweredPage, key: string): AnsweredPage | null {
    const whole = page.isLasting ? this.#whole.get(key) : undefined;
    return whole !== undefined && endedBefore(whole.call.exchange, page.call.exchange) ? whole : null;
  }
}

/** Whether a page shows all there is, at one moment. */
export function isCompleteList({ after, before, hasMore }: AnsweredPage): boolean {
  return after === null && before === null && hasMore === false;
}

/** Key of pages with the same list, query and cursors, under a given limit. */
function likeness(page: AnsweredPage, limit: string | null): string {
  return JSON.stringify([listSeries(page), page.after, page.before, limit]);
}

/** Key of the complete list in one order. */
function wholeKey(page: AnsweredPage, order: string | null): string {
  return JSON.stringify([page.caller, page.owners, page.filters, order]);
}
