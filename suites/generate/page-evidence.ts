import type { OutsideCall } from '../../judge/trace/outside-call.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { Deferred, LruMap, precedes } from '../vocabulary/collecting.ts';
import type { Call, Collector, Evidence, Selector } from '../vocabulary/types.ts';
import { type KnownElement, KnownElements } from './known-elements.ts';
import { type ListElement, type ListPage, listKey, type PageWalk, PageWalks, pageOf } from './list-pages.ts';
import { isOnePage, type ListRow } from './lists.ts';
import { type PageFault, pageFaults } from './page-faults.ts';
import { endsCompleteWalk, isEmptyEnd, type PageView, pageView } from './page-view.ts';

export interface PageEvidence extends Evidence, PageView {
  readonly call: Call;
  readonly times: readonly number[];
  /** Null unless the whole list is known in both orders and has at least two creation times. */
  readonly reversal: Reversal | null;
  readonly endsWalk: boolean;
  /** Whether the trace shows what follows this page or, in a walk, the page before it. */
  readonly isConclusive: boolean;
  readonly faults: readonly PageFault[];
  readonly known: readonly KnownElement[];
  /** The latest earlier page of a request that differs only in that one of the two states the default `limit`. */
  readonly twin: ListPage | null;
  /** The latest earlier page that showed the whole list in this order. */
  readonly wholeList: ListPage | null;
}

const MAX_KEPT_PAGES = 16;

/** One selector per list, so that all its requirements share the evidence. */
const selectors = new Map<string, Selector<PageEvidence>>();

/** A page with faults waits for the end of the trace, since a later call may explain them. */
export function listedPages(row: ListRow): Selector<PageEvidence> {
  const { operation, variant, create, changedBy } = row;
  return getOrMake(selectors, row.subject, () => ({
    operations: [operation.id, ...(create === null ? [] : [create]), ...changedBy],
    variant: row.isVersioned && variant.name !== 'only' ? variant.name : null,
    everyVariant: changedBy,
    needs: `a page of ${operation.id}`,
    collect: () => new PageEvidenceCollector(row),
  }));
}

/** Relates the pages of one list to the calls around them in bounded memory; dropped state only loses evidence. */
class PageEvidenceCollector implements Collector<PageEvidence> {
  readonly #row: ListRow;
  readonly #knownElements: KnownElements;
  readonly #walks = new PageWalks();
  readonly #latest = new LruMap<ListPage>(MAX_KEPT_PAGES);
  readonly #completeLists = new LruMap<ListPage>(MAX_KEPT_PAGES);
  readonly #deferred = new Deferred<PageEvidence>();

  constructor(row: ListRow) {
    this.#row = row;
    this.#knownElements = new KnownElements(row);
  }

  call(call: Call): readonly PageEvidence[] {
    const { id } = call.operation;
    if (id === this.#row.create) this.#knownElements.recordCreation(call);
    if (this.#row.changedBy.includes(id)) this.#knownElements.recordDisturbance(call);
    const page = id === this.#row.operation.id ? pageOf(this.#row, call) : null;
    return page === null ? [] : this.#notePage(page);
  }

  outside(call: OutsideCall): void {
    this.#knownElements.outside(call);
  }

  finish(): readonly PageEvidence[] {
    return this.#deferred.finish();
  }

  #notePage(page: ListPage): readonly PageEvidence[] {
    const walk = this.#walks.addPage(page);
    // A page does not prove its own elements.
    const listed = this.#relate(page, walk);
    this.#knownElements.recordPage(page);
    this.#latest.set(requestKey(page, page.limit), page);
    if (isOnePage(page.call)) this.#completeLists.set(orderKey(page, page.order), page);
    if (listed.faults.length === 0) return [listed];
    this.#deferred.add(() => this.#withoutExplained(listed));
    return [];
  }

  #relate(page: ListPage, walk: PageWalk | null): PageEvidence {
    const view = pageView(page, walk, this.#knownElements);
    const opposite =
      page.order === null
        ? null
        : this.#earlierList(page, orderKey(page, page.order === 'asc' ? 'desc' : 'asc'));
    return withProof({
      ...view,
      call: page.call,
      exchanges: (walk?.pages ?? [page]).map(({ call }) => call.exchange),
      faults: pageFaults(view).filter((fault) => !this.#isExplained(fault, page)),
      known: page.elements.flatMap(({ id }) => this.#knownElements.find(page, id) ?? []),
      times: [...new Set(view.judged.flatMap(({ created }) => created ?? []))],
      twin: this.#twinOf(page),
      wholeList: this.#earlierList(page, orderKey(page, page.order)),
      reversal: opposite === null ? null : reversalOf(page, opposite),
    });
  }

  #withoutExplained(listed: PageEvidence): PageEvidence {
    const { page, afterElement, beforeElement, cursors, faults } = listed;
    const isListed = (known: KnownElement): boolean => !this.#knownElements.isGone(known, page.call.exchange);
    return withProof({
      ...listed,
      afterElement: afterElement !== null && isListed(afterElement) ? afterElement : null,
      beforeElement: beforeElement !== null && isListed(beforeElement) ? beforeElement : null,
      cursors: cursors?.every(isListed) ? cursors : null,
      faults: faults.filter((fault) => !this.#isExplained(fault, page)),
    });
  }

  #isExplained({ dependsOn, since }: PageFault, { call: { exchange }, owners }: ListPage): boolean {
    if (dependsOn.some((known) => this.#knownElements.isGone(known, exchange))) return true;
    return since !== null && this.#knownElements.isDisturbed(owners, since, exchange);
  }

  #twinOf(page: ListPage): ListPage | null {
    const limit = String(this.#row.traits.defaultLimit);
    if (!page.isLasting || (page.limit !== null && page.limit !== limit)) return null;
    const other = this.#latest.get(requestKey(page, page.limit === null ? limit : null));
    return other !== undefined && precedes(other.call.exchange, page.call.exchange) ? other : null;
  }

  /** The latest complete list with this key, if it ended before the page was requested. */
  #earlierList(page: ListPage, key: string): ListPage | null {
    const list = page.isLasting ? this.#completeLists.get(key) : undefined;
    return list !== undefined && precedes(list.call.exchange, page.call.exchange) ? list : null;
  }
}

/** Adds the facts that the page proves; called again when later calls have explained some of its faults. */
function withProof(listed: Omit<PageEvidence, 'endsWalk' | 'isConclusive'>): PageEvidence {
  const { page, walk, stable } = listed;
  const isFollowed = (walk?.pages.length ?? 0) > 1 || stable.length > page.elements.length;
  return {
    ...listed,
    endsWalk: endsCompleteWalk(listed),
    isConclusive: isEmptyEnd(listed) || (page.isLasting && isFollowed),
  };
}

interface Reversal {
  readonly here: readonly ListElement[];
  readonly there: readonly ListElement[];
}

/**
 * Null if `page` is not complete, or if the elements in both lists have fewer than two distinct timestamps,
 * so that every order is right.
 */
function reversalOf(page: ListPage, { elements: opposite }: ListPage): Reversal | null {
  if (!isOnePage(page.call)) return null;
  // An object that was removed and added again has a new timestamp.
  const isIn = (others: readonly ListElement[]) => {
    const times = new Map(others.map(({ id, created }) => [id, created]));
    return ({ id, created }: ListElement): boolean => created !== undefined && times.get(id) === created;
  };
  const common = { here: page.elements.filter(isIn(opposite)), there: opposite.filter(isIn(page.elements)) };
  return new Set(common.here.map(({ created }) => created)).size < 2 ? null : common;
}

function requestKey(page: ListPage, limit: string | null): string {
  return JSON.stringify([listKey(page), page.after, page.before, limit]);
}

function orderKey(page: ListPage, order: string | null): string {
  return JSON.stringify([page.caller, page.owners, page.filters, order]);
}
