import type { Collection } from '../state/collection.ts';
import { ApiError, shorten } from './api-error.ts';
import type { HandlerRequest } from './route.ts';

interface ListPage<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/**
 * Returns the page for `limit`, `order`, `after` and `before` of a validated query, newest first by default (1 List
 * query parameters). A cursor may name a recently deleted object. @throws ApiError 400 for an unknown cursor.
 */
export function listPage<T extends { readonly id: string }>(
  collection: Collection<T>,
  query: HandlerRequest['query'],
  isIncluded: (item: T) => boolean = () => true,
  defaultLimit = 20,
): ListPage<T> {
  const limit = typeof query['limit'] === 'number' ? query['limit'] : defaultLimit;
  const isDescending = (query['order'] ?? 'desc') === 'desc';
  const after = findCursor(collection, query, 'after');
  const before = findCursor(collection, query, 'before');
  const isBehind = (position: number, cursor: number) =>
    isDescending ? position < cursor : position > cursor;
  const items = collection.values().filter((item) => {
    const position = collection.positionOf(item.id) ?? 0;
    return (
      isIncluded(item) &&
      (after === null || isBehind(position, after)) &&
      (before === null || (position !== before && !isBehind(position, before)))
    );
  });
  if (isDescending) items.reverse();
  // With `before` alone, the page ends directly before the cursor.
  const isFromEnd = before !== null && after === null;
  const data = isFromEnd ? items.slice(Math.max(0, items.length - limit)) : items.slice(0, limit);
  return { data, hasMore: items.length > data.length };
}

function findCursor<T extends { readonly id: string }>(
  collection: Collection<T>,
  query: HandlerRequest['query'],
  name: 'after' | 'before',
): number | null {
  const id = query[name];
  if (typeof id !== 'string') return null;
  const position = collection.positionOf(id);
  if (position === undefined) {
    throw ApiError.invalid(name, `'${name}' names no element of this list: '${shorten(id)}'.`);
  }
  return position;
}

/** The list envelope with cursors (1 Common shapes). The ids of an empty page are null. */
export function listEnvelope<T extends { readonly id: string }, U>(page: ListPage<T>, show: (item: T) => U) {
  return {
    object: 'list',
    data: page.data.map(show),
    first_id: page.data[0]?.id ?? null,
    last_id: page.data.at(-1)?.id ?? null,
    has_more: page.hasMore,
  };
}
