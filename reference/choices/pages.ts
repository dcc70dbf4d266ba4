import { operation } from '../../schemas/index.ts';
import { changeResponse } from '../deviations/changes.ts';
import type { Alternative, HandlerOverride } from '../deviations/deviation.ts';
import { cloneJson, elementsOf, objectOf } from '../deviations/json-changes.ts';
import type { JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { hashText } from '../state/ids.ts';

type Elements = readonly JsonObject[];
type Query = HandlerRequest['query'];
type PagePicker = (all: Elements, query: Query) => { readonly data: Elements; readonly hasMore: boolean };

const UNLIMITED = 1_000_000;

/** Cursors follow the new order. */
export function reorderPagedLists(on: readonly string[], change: (all: Elements) => Elements): Alternative {
  return pickPage(on, (all, query) => cursorPage(change(all), query));
}

export function reorderUnpagedLists(on: readonly string[], change: (all: Elements) => Elements): Alternative {
  const does = changeResponse((list) => ({ ...objectOf(list), data: change(elementsIn(list)) }));
  return { intercepts: [{ on, does }] };
}

export function pickPage(on: readonly string[], pick: PagePicker): Alternative {
  const intercepts = on.map((id) => ({
    on: [id],
    does: { handle: handleWholeList(pick, operation(id).list?.defaultLimit ?? 20) },
  }));
  return { intercepts };
}

/** Orders by hashes of the ids: unrelated to the order of creation, but the same for every request. */
export function shuffle(all: Elements): Elements {
  return all.toSorted((a, b) => hashText(String(a['id'])) - hashText(String(b['id'])));
}

/** Reverses the order of elements created in the same second. */
export function reverseSeconds(all: Elements): Elements {
  const seconds: JsonObject[][] = [];
  for (const element of all) {
    const last = seconds.at(-1);
    if (last === undefined || last[0]?.['created_at'] !== element['created_at']) seconds.push([element]);
    else last.unshift(element);
  }
  return seconds.flat();
}

/** Fetches the whole list, then picks the page. A request whose cursor is not listed goes to the handler unchanged. */
function handleWholeList(pick: PagePicker, defaultLimit: number): HandlerOverride {
  return async (request, proceed) => {
    const { after, before, limit = defaultLimit, ...filters } = request.query;
    const fullList = objectOf(
      cloneJson(await proceed({ ...request, query: { ...filters, limit: UNLIMITED } })),
    );
    const all = elementsIn(fullList);
    const isListed = (id: unknown) => id === undefined || all.some((element) => element['id'] === id);
    if (!isListed(after) || !isListed(before)) return proceed(request);
    const { data, hasMore } = pick(all, { after, before, limit });
    const envelope = { ...fullList, data, has_more: hasMore };
    if (!('first_id' in envelope)) return envelope;
    return { ...envelope, first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
  };
}

function cursorPage(all: Elements, { after, before, limit }: Query): ReturnType<PagePicker> {
  const size = typeof limit === 'number' ? limit : UNLIMITED;
  const items = all.slice(
    after === undefined ? 0 : indexOf(all, after) + 1,
    before === undefined ? all.length : indexOf(all, before),
  );
  const isFromEnd = before !== undefined && after === undefined;
  const data = isFromEnd ? items.slice(Math.max(0, items.length - size)) : items.slice(0, size);
  return { data, hasMore: items.length > data.length };
}

/** The first page of the elements before the cursor `before`; any other page is as usual. */
export function firstOfList(all: Elements, query: Query): ReturnType<PagePicker> {
  const { after, before, ...withoutCursors } = query;
  if (before === undefined || after !== undefined) return cursorPage(all, query);
  return cursorPage(all.slice(0, indexOf(all, before)), withoutCursors);
}

function indexOf(all: Elements, id: unknown): number {
  return all.findIndex((element) => element['id'] === id);
}

function elementsIn(list: JsonObject[string]): Elements {
  return elementsOf(objectOf(list)['data']).map(objectOf);
}
