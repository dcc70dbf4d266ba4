import type { Call } from '../../../judge/call.ts';
import { Keyed } from '../../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../../judge/requirement.ts';
import { type Gaps, gapsOf, gapsOfWalk } from './gaps.ts';
import { type Element, type Page, pageOf, seriesOf } from './page.ts';
import { isOver } from './removals.ts';
import { type Known, Roster } from './roster.ts';
import type { ListRow } from './rows.ts';
import { isAtEnd, type Walk, Walks } from './walk.ts';

/** A page of a list, and what the trace tells about it. */
export interface ListedPage extends Evidence, Page {
  /** The elements that count for order: all in a list below an owner, in a list of the organisation our own. */
  readonly judged: readonly Element[];
  /** What is known of the object that `after`, or else `before`, names. */
  readonly cursor: Known | null;
  /** Its elements, as far as something before it told of them. */
  readonly known: readonly Known[];
  /** What was in the list from before this page until after it, as far as known. */
  readonly stable: readonly Known[];
  readonly gaps: Gaps;
  /** The walk that this page is the last of; null where it asks for what lies before a cursor. */
  readonly walk: Walk | null;
  /** True where an empty page shows that the promise of the page before it was not kept. */
  readonly isBroken: boolean;
  /** The page that differs only in naming the default `limit`, or in not naming it. */
  readonly twin: Page | null;
  /** The latest walk through the whole list in this order, and in the other one. */
  readonly whole: Walk | null;
  readonly opposite: Walk | null;
}

/** So many pages that lack something wait for the end of the trace; further ones are lost evidence. */
const WAITING = 64;

/** So many pages and walks to compare others with are kept in mind. */
const KEPT = 16;

const selectors = new Map<string, Selector<ListedPage>>();

/** Every page of a list. One that lacks something is told at the end, when it is sure that no deletion overlapped it. */
export function pages(row: ListRow): Selector<ListedPage> {
  const known = selectors.get(row.subject);
  if (known !== undefined) return known;
  const { operation, variant, create, disturb } = row;
  const selector: Selector<ListedPage> = {
    operations: [operation.id, ...(create === null ? [] : [create]), ...disturb],
    variant: row.isOneOfTwo && variant.name !== 'only' ? variant.name : null,
    everyVariant: disturb,
    collect: () => new PageCollector(row),
  };
  selectors.set(row.subject, selector);
  return selector;
}

class PageCollector implements Collector<ListedPage> {
  readonly #row: ListRow;
  readonly #roster: Roster;
  readonly #walks = new Walks();
  readonly #latest = new Keyed<Page>(KEPT);
  readonly #whole = new Keyed<Walk>(KEPT);
  #waiting: ListedPage[] = [];

  constructor(row: ListRow) {
    this.#row = row;
    this.#roster = new Roster(row);
  }

  call(call: Call): readonly ListedPage[] {
    const { id } = call.operation;
    if (id === this.#row.create) this.#roster.made(call);
    if (this.#row.disturb.includes(id)) this.#disturbed(call);
    const page = id === this.#row.operation.id ? pageOf(this.#row, call) : null;
    return page === null ? [] : this.#page(page);
  }

  finish(): readonly ListedPage[] {
    return this.#waiting;
  }

  #disturbed(call: Call): void {
    this.#roster.disturbed(call);
    this.#waiting = this.#waiting.map((page) => this.#cleared(page));
  }

  #page(page: Page): readonly ListedPage[] {
    const told = this.#told(page);
    this.#remember(page, told.walk);
    if (!isSuspicious(told)) return [told];
    if (this.#waiting.length < WAITING) this.#waiting.push(told);
    return [];
  }

  #told(page: Page): ListedPage {
    const { owners, after, before, row } = page;
    const stable = this.#roster.stable(page, page);
    const own = new Set(stable.map(({ id }) => id));
    const cursors = {
      after: this.#roster.known(owners, after),
      before: this.#roster.known(owners, before),
    };
    const walk = this.#walks.step(page);
    const [first] = walk?.pages ?? [];
    const inWalk = walk === null || first === undefined ? [] : this.#roster.stable(first, page);
    const start = walk === null ? null : this.#roster.known(owners, walk.start);
    return {
      ...page,
      exchanges: (walk?.pages ?? [page]).map(({ call }) => call.exchange),
      judged: row.traits.scope === 'parent' ? page.elements : page.elements.filter(({ id }) => own.has(id)),
      known: page.elements.flatMap(({ id }) => this.#roster.known(owners, id) ?? []),
      cursor: after === null ? cursors.before : cursors.after,
      stable,
      gaps: {
        ...gapsOf(page, stable, cursors),
        walk: walk === null ? [] : gapsOfWalk(walk, inWalk, start),
      },
      walk,
      isBroken: this.#isBroken(page, walk),
      twin: this.#twin(page),
      whole: this.#before(page, wholeKey(page, page.order)),
      opposite: this.#before(page, wholeKey(page, page.order === 'asc' ? 'desc' : 'asc')),
    };
  }

  /** In a list of the organisation, others may have deleted what was promised. */
  #isBroken(page: Page, walk: Walk | null): boolean {
    const promise = walk?.pages.at(-2);
    if (promise?.hasMore !== true || page.elements.length > 0) return false;
    return (
      this.#row.traits.scope === 'parent' &&
      !this.#roster.isDisturbed(page.owners, promise.call.exchange, page.call.exchange)
    );
  }

  #twin(page: Page): Page | null {
    const limit = String(this.#row.traits.defaultLimit);
    if (page.limit !== null && page.limit !== limit) return null;
    const other = this.#latest.get(likeness(page, page.limit === null ? limit : null));
    return other !== undefined && isOver(other.call.exchange, page.call.exchange) ? other : null;
  }

  #before(page: Page, key: string): Walk | null {
    const walk = this.#whole.get(key);
    const last = walk?.pages.at(-1);
    return walk !== undefined && last !== undefined && isOver(last.call.exchange, page.call.exchange)
      ? walk
      : null;
  }

  #remember(page: Page, walk: Walk | null): void {
    this.#roster.saw(page);
    this.#latest.set(likeness(page, page.limit), page);
    if (walk !== null && walk.start === null && isAtEnd(walk))
      this.#whole.set(wholeKey(page, page.order), walk);
  }

  /** Without the gaps that a deletion may explain. */
  #cleared(told: ListedPage): ListedPage {
    const stays = (known: Known): boolean => !this.#roster.isGone(known, told.call.exchange);
    const { after, before, end, walk } = told.gaps;
    const gaps: Gaps = {
      after: after.filter(stays),
      before: before.filter(stays),
      end: end.filter(stays),
      walk: walk.filter(stays),
    };
    return {
      ...told,
      gaps,
      stable: told.stable.filter(stays),
      isBroken: told.isBroken && this.#isBroken(told, told.walk),
    };
  }
}

/** Whether it accuses a list of lacking something. */
function isSuspicious({ gaps, isBroken }: ListedPage): boolean {
  return isBroken || Object.values(gaps).some((gap) => gap.length > 0);
}

function likeness(page: Page, limit: string | null): string {
  return JSON.stringify([seriesOf(page), page.after, page.before, limit]);
}

function wholeKey(page: Page, order: string | null): string {
  return JSON.stringify([page.owners, page.filters, order]);
}
