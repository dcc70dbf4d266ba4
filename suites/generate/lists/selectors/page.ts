import { callerOf } from '../../../../judge/trace/call.ts';
import { numberAt, textAt, valueAtPath } from '../../../vocabulary/json.ts';
import type { Call, Json } from '../../../vocabulary/types.ts';
import type { ListRow } from '../rows.ts';

/** Values of the query parameter `order`. */
export type ListOrder = 'asc' | 'desc';

/** An element of a page, as far as pages are judged. */
export interface ListElement {
  readonly id: string;
  /** Its place in `data`. */
  readonly index: number;
  /** Unix seconds; undefined where it states none. */
  readonly created: number | undefined;
  readonly value: Json;
}

/** One answered page and what was asked for. */
export interface AnsweredPage {
  readonly row: ListRow;
  readonly call: Call;
  /** Who asked: others may be shown other elements of the same list. */
  readonly caller: string;
  /** The owner of the list: the ids in its path. */
  readonly owners: readonly string[];
  /** As sent; null where none was. */
  readonly limit: string | null;
  /** Cursor of the request; null where it has none. */
  readonly after: string | null;
  readonly before: string | null;
  /**
   * The requested order, or the default where none was requested; null where the list has no order, or the
   * requested value is invalid.
   */
  readonly order: ListOrder | null;
  /** Whether the request leaves out `order`. */
  readonly isDefaultOrder: boolean;
  /** Query parameters that narrow the list, by name. */
  readonly filters: Readonly<Record<string, string>>;
  /** False where elements leave the list by themselves, as a file leaves those in progress. */
  readonly isLasting: boolean;
  readonly elements: readonly ListElement[];
  /** `has_more` of the envelope; undefined where it is absent or not a boolean. */
  readonly hasMore: boolean | undefined;
}

/** Filters whose value an element keeps for ever; what is asked for by others leaves the list by itself. */
export const LASTING_FILTERS: readonly string[] = ['run_id', 'purpose'];

/** A call's response as a page; null where it is not a list. Elements without an id are left out. */
export function pageOf(row: ListRow, call: Call): AnsweredPage | null {
  const { responseJson: answer, query } = call;
  const data = valueAtPath(answer, 'data');
  if (!Array.isArray(data)) return null;
  const hasMore = valueAtPath(answer, 'has_more');
  const asked = row.traits.filters.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    row,
    call,
    caller: callerOf(call.exchange.request),
    owners: row.parents.map((name) => call.path[name] ?? ''),
    limit: query.get('limit'),
    after: query.get('after'),
    before: query.get('before'),
    order: row.traits.order ? orderOf(query.get('order')) : null,
    isDefaultOrder: !query.has('order'),
    filters: Object.fromEntries(asked),
    isLasting: asked.every(([name]) => LASTING_FILTERS.includes(name)),
    elements: data.flatMap((value, index) => elementOf(value, index)),
    hasMore: typeof hasMore === 'boolean' ? hasMore : undefined,
  };
}

/** Where a time stands in an order: what comes later has the greater rank. */
export function orderRank(order: ListOrder, created: number): number {
  return order === 'asc' ? created : -created;
}

/** Pages of the same list in the same order have the same one, wherever they begin and however long they are. */
export function listSeries({ caller, owners, order, filters, call }: AnsweredPage): string {
  return JSON.stringify([caller, owners, order ?? call.query.get('order'), filters]);
}

function orderOf(asked: string | null): ListOrder | null {
  if (asked === null) return 'desc';
  return asked === 'asc' || asked === 'desc' ? asked : null;
}

function elementOf(value: Json, index: number): readonly ListElement[] {
  const id = textAt(value, 'id');
  return id === undefined ? [] : [{ id, index, created: numberAt(value, 'created_at'), value }];
}
