import type { Json } from '../../../exchange/body.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { calls } from '../../../judge/edit/breaks.ts';
import { withAnswer } from '../../../judge/edit/exchanges.ts';
import { put } from '../../../judge/edit/values.ts';
import { list } from '../../../judge/json.ts';
import type { Break } from '../../../judge/requirement.ts';

type Back = { readonly id: string } & Readonly<Record<string, Json>>;
type Joined = (data: readonly Json[], back: readonly Back[]) => readonly Json[];

/** Ways in which lists may show what was deleted; `asIfThere` makes an element out of a deletion. */
export function stillListed(
  remove: string,
  listing: string,
  asIfThere: (deletion: Exchange) => Back,
): Readonly<Record<string, Break>> {
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
): Break {
  return (trace) => {
    const deletions = trace.filter((exchange) => calls(exchange, remove));
    const changed = trace.map((exchange) => {
      if (!calls(exchange, listing)) return exchange;
      const [path] = exchange.request.target.split('?');
      const back = deletions.filter(({ request }) => request.target.startsWith(`${path}/`)).map(asIfThere);
      const add = put('/data', (data) => joined(list(data), back));
      return back.length === 0 ? exchange : withAnswer(exchange, add);
    });
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}
