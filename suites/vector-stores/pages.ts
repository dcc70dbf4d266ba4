import { isOnePage } from '../generate/lists.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Json } from '../vocabulary/types.ts';

/** The elements of a list that is complete in one page, possibly filtered; null for other lists. */
export function completePage(call: Call): readonly Json[] | null {
  const data = isOnePage(call) ? valueAtPath(call.responseJson, 'data') : null;
  return Array.isArray(data) ? data : null;
}

export function filterOf({ query }: Call): string | null {
  return query.get('filter');
}

export function storeOf({ path }: Call): string {
  return path['vector_store_id'] ?? '';
}

export function elementIds(elements: readonly Json[]): readonly string[] {
  return elements.map((element) => textAt(element, 'id') ?? '');
}
