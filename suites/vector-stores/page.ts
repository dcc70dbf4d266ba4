import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { get, list, text } from '../../judge/json.ts';

/** The elements of a page that shows a whole list, or all of it that is in one state; null where it is cut or refused. */
export function wholePage({ answer, query }: Call): readonly Json[] | null {
  const isCut = query.has('after') || query.has('before') || get(answer, 'has_more') !== false;
  return isCut || !Array.isArray(get(answer, 'data')) ? null : list(answer, 'data');
}

/** What a list is narrowed to; null where it shows all. */
export function filterOf({ query }: Call): string | null {
  return query.get('filter');
}

export function idsOf(elements: readonly Json[]): readonly string[] {
  return elements.map((element) => text(element, 'id') ?? '');
}
