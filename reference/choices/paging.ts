import { operation } from '../../schemas/index.ts';
import { envelopeElements } from '../faults/edit.ts';
import type { HandlerOverride } from '../faults/fault.ts';
import { cloneJson } from '../faults/responses.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import type { JsonObject } from '../server/json.ts';
import { hashText } from '../state/ids.ts';
import type { Alternative } from './alternative.ts';
import { allOf, intercepting, objectOf } from './shapes.ts';

type Elements = readonly JsonObject[];
type Query = HandlerRequest['query'];

/** More elements than any list has. */
const ALL = 1_000_000;

/** The page of a list that a query asks for, with the elements of the whole list in their order. */
type PageChoice = (all: Elements, query: Query) => { readonly data: Elements; readonly hasMore: boolean };

/** Lists whose elements are in another order; the cursors of a query follow that order. */
export function reordered(on: readonly string[], change: (all: Elements) => Elements): Alternative {
  return paged(on, (all, query) => cursorPage(change(all), query));
}

/** Pages that hold other elements of the list. */
export function paged(on: readonly string[], choose: PageChoice): Alternative {
  return allOf(
    on.map((id) => intercepting([id], { handle: relisted(choose, operation(id).list?.defaultLimit ?? 20) })),
  );
}

/** In an order that follows from the ids alone, and is thus neither that of creation nor its reverse. */
export function shuffled(all: Elements): Elements {
  return all.toSorted((a, b) => hashText(String(a['id'])) - hashText(String(b['id'])));
}

/** The last element first. */
export function reversed(all: Elements): Elements {
  return all.toReversed();
}

/** Runs of elements of the same second are reversed; the runs keep their order. */
export function reversedSeconds(all: Elements): Elements {
  const runs: JsonObject[][] = [];
  for (const element of all) {
    const last = runs.at(-1);
    if (last?.[0]?.['created_at'] === element['created_at'] && last !== undefined) last.unshift(element);
    else runs.push([element]);
  }
  return runs.flat();
}

/** Lists the whole, then chooses a page of it. A cursor that is not in the list is left to the handler. */
function relisted(choose: PageChoice, defaultLimit: number): HandlerOverride {
  return async (request, proceed) => {
    const { after, before, limit = defaultLimit, ...rest } = request.query;
    const whole = await proceed({ ...request, query: { ...rest, limit: ALL } });
    const all = envelopeElements(cloneJson(whole));
    const isHere = (id: unknown) => id === undefined || all.some((element) => element['id'] === id);
    if (!isHere(after) || !isHere(before)) return proceed(request);
    const { data, hasMore } = choose(all, { after, before, limit });
    const envelope = { ...objectOf(cloneJson(whole)), data, has_more: hasMore };
    if (!('first_id' in envelope)) return envelope;
    return { ...envelope, first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
  };
}

/** The page between the cursors of a query: after the one, or directly before the other. */
function cursorPage(all: Elements, query: Query): ReturnType<PageChoice> {
  const { after, before } = query;
  const limit = limitOf(query);
  const place = (id: unknown) => all.findIndex((element) => element['id'] === id);
  const wanted = all.slice(
    after === undefined ? 0 : place(after) + 1,
    before === undefined ? all.length : Math.max(0, place(before)),
  );
  const fromTheEnd = before !== undefined && after === undefined;
  const data = fromTheEnd ? wanted.slice(Math.max(0, wanted.length - limit)) : wanted.slice(0, limit);
  return { data, hasMore: wanted.length > data.length };
}

/** The first elements of the list that lie before the cursor. */
export function firstOfList(all: Elements, query: Query): ReturnType<PageChoice> {
  const { after, before } = query;
  if (before === undefined || after !== undefined) return cursorPage(all, query);
  const wanted = all.slice(
    0,
    all.findIndex((element) => element['id'] === before),
  );
  const data = wanted.slice(0, limitOf(query));
  return { data, hasMore: wanted.length > data.length };
}

function limitOf({ limit }: Query): number {
  return typeof limit === 'number' ? limit : ALL;
}
