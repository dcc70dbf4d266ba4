// Mutations that put deleted objects back into later pages of their list.

import { callsOperation, setValue } from '../../vocabulary/changes.ts';
import { withResponseJson } from '../../vocabulary/exchanges.ts';
import { arrayAt } from '../../vocabulary/json.ts';
import type { Exchange, Json, Mutation } from '../../vocabulary/types.ts';

/** An object that a mutation puts back into a list. */
type Back = { readonly id: string } & Readonly<Record<string, Json>>;
/** Adds the objects to the data of a page. */
type Joined = (data: readonly Json[], back: readonly Back[]) => readonly Json[];

/** Ways in which lists may show what was deleted; `asIfThere` makes an element out of a deletion. */
export function stillListedMutations(
  remove: string,
  listing: string,
  asIfThere: (deletion: Exchange) => Back,
): Readonly<Record<string, Mutation>> {
  const back = (joined: Joined) => putBack(remove, listing, asIfThere, joined);
  return {
    'still there': back((data, deleted) => [...data, ...deleted]),
    'in front of the others': back((data, deleted) => [...deleted, ...data]),
    'marked as deleted': back((data, deleted) => [
      ...data,
      ...deleted.map((one) => ({ ...one, deleted: true })),
    ]),
  };
}

/** Puts what is deleted back into every list of the same owner. */
function putBack(
  remove: string,
  listing: string,
  asIfThere: (deletion: Exchange) => Back,
  joined: Joined,
): Mutation {
  return (trace) => {
    const deletions = trace.filter((exchange) => callsOperation(exchange, remove));
    const changed = trace.map((exchange) => {
      if (!callsOperation(exchange, listing)) return exchange;
      const [path] = exchange.request.target.split('?');
      const back = deletions.filter(({ request }) => request.target.startsWith(`${path}/`)).map(asIfThere);
      const add = setValue('/data', (data) => joined(arrayAt(data), back));
      return back.length === 0 ? exchange : withResponseJson(exchange, add);
    });
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}
