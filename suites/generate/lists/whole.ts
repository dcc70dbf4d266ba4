import type { Call } from '../../../judge/call.ts';
import { get } from '../../../judge/json.ts';

/** Whether an answered page is all there is: nothing is cut off by a cursor, a filter or a limit. */
export function isWholeList({ answer, query, operation }: Call): boolean {
  const cuts = ['after', 'before', ...(operation.list?.filters ?? [])];
  return get(answer, 'has_more') === false && cuts.every((name) => !query.has(name));
}
