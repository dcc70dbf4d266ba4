import { valueAtPath } from '../../../vocabulary/json.ts';
import { that } from '../../../vocabulary/selectors.ts';
import type { Call } from '../../../vocabulary/types.ts';

/** Whether an answered page is all there is: nothing is cut off by a cursor, a filter or a limit. */
export function isWholeList({ responseJson: answer, query, operation }: Call): boolean {
  const cuts = ['after', 'before', ...(operation.list?.filters ?? [])];
  return valueAtPath(answer, 'has_more') === false && cuts.every((name) => !query.has(name));
}

export const asWholeList = that<{ readonly after: Call }>('that is the whole list', ({ after }) =>
  isWholeList(after),
);
