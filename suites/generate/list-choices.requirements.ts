import { queryOf } from '../../judge/trace/call.ts';
import { choiceOf } from '../rows/rows.ts';
import { callsOperation, inEveryCall, setValue } from '../vocabulary/changes.ts';
import { precedes } from '../vocabulary/collecting.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Exchange, Json, Mutation, Selector } from '../vocabulary/types.ts';
import type { ListElement } from './list-pages.ts';
import { listRows } from './lists.ts';
import { listedPages, type PageEvidence } from './page-evidence.ts';
import { isSameList } from './page-mutations.ts';

const EXAMPLE_LIST = 'listMessages';

const everyPage = joinLists(
  listRows()
    .filter(({ traits }) => traits.order && traits.scope === 'parent')
    .map(listedPages),
);

export const listsCursorBoth = choiceOf('lists.cursor.both', {
  selector: where(
    everyPage,
    ({ page }) => page.after !== null && page.before !== null,
    isUnchangedList,
    isUncut,
  ),
  taken: ({ page, wholeList }) => {
    const ids = idsOf(wholeList?.elements);
    const [from, to] = [ids.indexOf(page.after ?? ''), ids.indexOf(page.before ?? '')];
    if (from < 0 || to <= from + 1 || ids.length <= to + 1) return null;
    const shown = JSON.stringify(idsOf(page.elements));
    const isSlice = (start: number, end?: number) => shown === JSON.stringify(ids.slice(start, end));
    if (isSlice(from + 1, to)) return 'what lies between';
    if (isSlice(from + 1)) return 'as without before';
    return isSlice(0, to) ? 'as without after' : 'something else';
  },
  examples: {
    'as without before': replaceBeforePage((elements, from) => elements.slice(from + 1)),
    'as without after': replaceBeforePage((elements, _, to) => elements.slice(0, to)),
  },
});

export const listsBeforeWhichEnd = choiceOf('lists.before.which-end', {
  selector: where(everyPage, ({ page }) => page.after === null && page.before !== null, isUnchangedList),
  taken: ({ page, wholeList }) => {
    const ids = idsOf(wholeList?.elements);
    const to = ids.indexOf(page.before ?? '');
    const shown = idsOf(page.elements);
    if (shown.length === 0 || to <= shown.length) return null;
    const isShown = (some: readonly string[]) => JSON.stringify(some) === JSON.stringify(shown);
    const nearest = ids.slice(to - shown.length, to);
    if (isShown(nearest)) return 'nearest to the cursor';
    if (isShown(ids.slice(0, shown.length))) return 'first of the list';
    return isShown(nearest.toReversed()) ? 'nearest to the cursor, nearest first' : 'something else';
  },
  examples: { 'first of the list': replaceBeforePage((elements) => elements.slice(0, 2)) },
});

export const listsOrderSameSecond = choiceOf('lists.order.same-second', {
  selector: everyPage,
  taken: ({ known, page: { order } }) => {
    const pairs = known.flatMap((one, i) => {
      const next = known[i + 1];
      const isTied = next?.created === one.created && one.isCreated && next?.isCreated === true;
      return isTied && (precedes(one, next) || precedes(next, one)) ? [[one, next] as const] : [];
    });
    if (pairs.length === 0 || order === null) return null;
    const isByCreation = pairs.every(([one, next]) =>
      order === 'asc' ? precedes(one, next) : precedes(next, one),
    );
    return isByCreation ? 'as they were made' : 'otherwise';
  },
  examples: { otherwise: { in: EXAMPLE_LIST, reverse: ['/data'] } },
});

function idsOf(elements: readonly Pick<ListElement, 'id'>[] = []): readonly string[] {
  return elements.map(({ id }) => id);
}

/** Whether no element is known to have been added or removed since the whole list was shown. */
function isUnchangedList({ wholeList, stable }: PageEvidence): boolean {
  return JSON.stringify(idsOf(wholeList?.elements).toSorted()) === JSON.stringify(idsOf(stable).toSorted());
}

/** Whether the page has fewer elements than its limit permits, so that it shows where the selection ends. */
function isUncut({ page: { elements, maxElements, row } }: PageEvidence): boolean {
  return elements.length < (maxElements ?? row.traits.defaultLimit ?? Number.POSITIVE_INFINITY);
}

/** Each collector ignores the calls of other lists. */
function joinLists(selectors: readonly Selector<PageEvidence>[]): Selector<PageEvidence> {
  return {
    operations: [...new Set(selectors.flatMap(({ operations }) => operations))],
    variant: null,
    anyOf: selectors,
    collect: () => {
      const collectors = selectors.map((selector) => selector.collect());
      return {
        call: (call) => collectors.flatMap((collector) => [...collector.call(call)]),
        finish: () => collectors.flatMap((collector) => [...(collector.finish?.() ?? [])]),
      };
    },
  };
}

/** `slice` gets the elements of the whole list and the index of each cursor in it, -1 for none. */
function replaceBeforePage(
  slice: (elements: readonly Json[], after: number, before: number) => readonly Json[],
): Mutation {
  return (trace) => {
    const pages = trace.filter((exchange) => callsOperation(exchange, EXAMPLE_LIST));
    return inEveryCall(EXAMPLE_LIST, (exchange) => {
      const query = queryOf(exchange.request);
      const wholeList = pages.find((other) => isWholeFor(exchange, other))?.response?.body.json?.value;
      if (!query.has('before') || wholeList === undefined) return exchange;
      const elements = arrayAt(wholeList, 'data');
      const ids = elements.map((element) => valueAtPath(element, 'id'));
      const [after, before] = [ids.indexOf(query.get('after') ?? ''), ids.indexOf(query.get('before') ?? '')];
      return withResponseJson(exchange, setValue('/data', slice(elements, after, before)));
    })(trace);
  };
}

function isWholeFor(page: Exchange, other: Exchange): boolean {
  const query = queryOf(other.request);
  if (!isSameList(page, other) || query.has('after') || query.has('before')) return false;
  return valueAtPath(other.response?.body.json?.value, 'has_more') === false;
}
