import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Call, Json } from '../../vocabulary/types.ts';

/** The elements of a page that shows a whole list, or all of it that is in one state; null where it is cut or refused. */
export function completePage({ responseJson: answer, query }: Call): readonly Json[] | null {
  const isCut = query.has('after') || query.has('before') || valueAtPath(answer, 'has_more') !== false;
  return isCut || !Array.isArray(valueAtPath(answer, 'data')) ? null : arrayAt(answer, 'data');
}

/** The filter of a list; null where it shows all. */
export function filterOf({ query }: Call): string | null {
  return query.get('filter');
}

/** Ids of the elements that have one, in the order of the page. */
export function elementIds(elements: readonly Json[]): readonly string[] {
  return elements.map((element) => textAt(element, 'id') ?? '');
}
