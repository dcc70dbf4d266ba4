import { callerOf } from '../../judge/trace/caller-identity.ts';
import { LruMap, precedes } from '../vocabulary/collecting.ts';
import { numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Json } from '../vocabulary/types.ts';
import { hasPositiveLimit, type ListOrder, type ListRow } from './lists.ts';

export interface ListElement {
  readonly id: string;
  readonly index: number;
  /** Creation time in Unix seconds; undefined if the element states none. */
  readonly created: number | undefined;
  readonly value: Json;
}

export interface ListPage {
  readonly row: ListRow;
  readonly call: Call;
  /** Who requested the page: other callers may see other elements of the same list. */
  readonly caller: string;
  readonly owners: readonly string[];
  readonly limit: string | null;
  /** `limit` as a number; null if absent or invalid: the specification leaves the effect of an invalid one open. */
  readonly maxElements: number | null;
  readonly after: string | null;
  readonly before: string | null;
  /** The requested or default order; null if the list has no order, or the request states an invalid one. */
  readonly order: ListOrder | null;
  readonly isDefaultOrder: boolean;
  readonly filters: Readonly<Record<string, string>>;
  /** False if a filter lets elements leave the list without a call, as files leave `in_progress`. */
  readonly isLasting: boolean;
  readonly elements: readonly ListElement[];
  /** Undefined if absent or not a boolean. */
  readonly hasMore: boolean | undefined;
}

/** Filters by properties that never change. */
export const LASTING_FILTERS: readonly string[] = ['run_id', 'purpose'];

/** Reads a response as a page, without elements that lack an id; null for no list, or a limit below 1. */
export function pageOf(row: ListRow, call: Call): ListPage | null {
  const { responseJson: answer, query } = call;
  const data = valueAtPath(answer, 'data');
  if (!Array.isArray(data) || !hasPositiveLimit(call)) return null;
  const hasMore = valueAtPath(answer, 'has_more');
  const filters = row.traits.filters.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    row,
    call,
    caller: callerOf(call.exchange.request),
    owners: row.parents.map((name) => call.path[name] ?? ''),
    limit: query.get('limit'),
    maxElements: validLimit(query.get('limit'), row.traits.maxLimit),
    after: query.get('after'),
    before: query.get('before'),
    order: row.traits.order ? orderOf(query.get('order')) : null,
    isDefaultOrder: !query.has('order'),
    filters: Object.fromEntries(filters),
    isLasting: filters.every(([name]) => LASTING_FILTERS.includes(name)),
    elements: data.flatMap((value, index) => elementOf(value, index)),
    hasMore: typeof hasMore === 'boolean' ? hasMore : undefined,
  };
}

function validLimit(text: string | null, max: number | null): number | null {
  const value = text === null || !/^\d+$/.test(text) ? 0 : Number(text);
  return value >= 1 && value <= (max ?? Number.POSITIVE_INFINITY) ? value : null;
}

/** A number by which the elements of a list are sorted; undefined if the page has no order or the element no time. */
export function orderPlace(
  { order }: Pick<ListPage, 'order'>,
  { created }: Pick<ListElement, 'created'>,
): number | undefined {
  if (order === null || created === undefined) return undefined;
  return order === 'asc' ? created : -created;
}

/** The key that all pages of one list in one order share. */
export function listKey({ caller, owners, order, filters, call }: ListPage): string {
  return JSON.stringify([caller, owners, order ?? call.query.get('order'), filters]);
}

function orderOf(text: string | null): ListOrder | null {
  if (text === null) return 'desc';
  return text === 'asc' || text === 'desc' ? text : null;
}

function elementOf(value: Json, index: number): readonly ListElement[] {
  const id = textAt(value, 'id');
  return id === undefined ? [] : [{ id, index, created: numberAt(value, 'created_at'), value }];
}

export interface PageWalk {
  readonly pages: readonly ListPage[];
}

/** Maximum number of pages of a walk; the next page begins a new one. */
const MAX_PAGES = 20;
const MAX_WALKS = 32;

/** Joins pages into walks, in which the cursor of each page is the last element of the previous page. */
export class PageWalks {
  readonly #byEnd = new LruMap<PageWalk>(MAX_WALKS);

  /** Returns the walk that ends with this page: a new one if no walk leads to it, null if it has a `before` cursor. */
  addPage(page: ListPage): PageWalk | null {
    const { after, before } = page;
    if (before !== null) return null;
    const known = after === null ? [] : (this.#byEnd.get(endKey(page, after))?.pages ?? []);
    const last = known.at(-1);
    const isContinued =
      last !== undefined && known.length < MAX_PAGES && precedes(last.call.exchange, page.call.exchange);
    const walk = { pages: isContinued ? [...known, page] : [page] };
    const end = page.elements.at(-1);
    if (end !== undefined) this.#byEnd.set(endKey(page, end.id), walk);
    return walk;
  }
}

export function isAtEnd({ pages }: PageWalk): boolean {
  const last = pages.at(-1);
  return last !== undefined && (last.hasMore === false || last.elements.length === 0);
}

export function walkIds({ pages }: PageWalk): readonly string[] {
  return pages.flatMap(({ elements }) => elements.map(({ id }) => id));
}

function endKey(page: ListPage, id: string): string {
  return JSON.stringify([listKey(page), id]);
}
