import type { Collection } from '../state/collection.ts';
import { ApiError, shorten } from './api-error.ts';
import type { HandlerRequest } from './route.ts';

interface ListPage<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/**
 * The page for `limit`, `order`, `after` and `before` of a validated query. A cursor may name a deleted object, whose position
 * is remembered. By default the newest element comes first (1 Common shapes). @throws ApiError 400 for a cursor that names
 * nothing.
 */
export function listPage<T extends { readonly id: string }>(
  collection: Collection<T>,
  query: HandlerRequest['query'],
  keep: (item: T) => boolean = () => true,
  defaultLimit = 20,
): ListPage<T> {
  const limit = typeof query['limit'] === 'number' ? query['limit'] : defaultLimit;
  const descending = (query['order'] ?? 'desc') === 'desc';
  const after = cursor(collection, query, 'after');
  const before = cursor(collection, query, 'before');
  const behind = (place: number, mark: number) => (descending ? place < mark : place > mark);
  const wanted = collection.values().filter((item) => {
    const place = collection.place(item.id) ?? 0;
    return (
      keep(item) &&
      (after === null || behind(place, after)) &&
      (before === null || (place !== before && !behind(place, before)))
    );
  });
  if (descending) wanted.reverse();
  // A query with only `before` asks for the page directly before the cursor, so the page is cut at its far end.
  const fromTheEnd = before !== null && after === null;
  const data = fromTheEnd ? wanted.slice(Math.max(0, wanted.length - limit)) : wanted.slice(0, limit);
  return { data, hasMore: wanted.length > data.length };
}

function cursor<T extends { readonly id: string }>(
  collection: Collection<T>,
  query: HandlerRequest['query'],
  name: 'after' | 'before',
): number | null {
  const id = query[name];
  if (typeof id !== 'string') return null;
  const place = collection.place(id);
  if (place === undefined) {
    throw ApiError.invalid(name, `'${name}' names no element of this list: '${shorten(id)}'.`);
  }
  return place;
}

/** The list envelope with cursors (1 Common shapes). The ids of an empty page are null. */
export function listEnvelope<T extends { readonly id: string }, U>(found: ListPage<T>, show: (item: T) => U) {
  return {
    object: 'list',
    data: found.data.map(show),
    first_id: found.data[0]?.id ?? null,
    last_id: found.data.at(-1)?.id ?? null,
    has_more: found.hasMore,
  };
}
