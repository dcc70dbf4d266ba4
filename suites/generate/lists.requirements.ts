import type { HttpRequest } from '../../exchange/exchange.ts';
import { targetPath } from '../../judge/trace/call.ts';
import type { EditRow } from '../rows/edits.ts';
import { type CodeOf, choiceOf } from '../rows/rows.ts';
import { callsOperation, inEveryCall, inResponse, inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { precedes } from '../vocabulary/collecting.ts';
import { withJsonResponse, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Evidence, Exchange, Json, Mutation, Selector, Violation } from '../vocabulary/types.ts';
import type { AnsweredPage } from './list-pages.ts';
import { type ListedPage, listedPages } from './listed-pages.ts';
import { type ListRow, listRows } from './lists.ts';
import { mayBeDeletedByOthers, type PageFault } from './page-faults.ts';
import { requirementsFrom, withAnyEvidence } from './templates.ts';

function queryOf({ target }: HttpRequest): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '');
}

function hasParameters(...parameters: readonly string[]): (exchange: Exchange) => boolean {
  return ({ request }) => parameters.every((name) => queryOf(request).has(name));
}

const reverseElements = setValue('/data', (data) => arrayAt(data).toReversed());

/** Replaces the elements of a page at a cursor with those of a first page that shows the cursor. */
function restartAtBeginning(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const firstPages = trace.filter(
      (exchange) =>
        callsOperation(exchange, operation) &&
        !hasParameters('after')(exchange) &&
        !hasParameters('before')(exchange),
    );
    return inEveryCall(operation, (exchange) => {
      const id = queryOf(exchange.request).get(cursor);
      const firstElements = firstPages
        .map(({ response }) => arrayAt(response?.body.json?.value, 'data'))
        .find((data) => data.some((element) => valueAtPath(element, 'id') === id));
      return firstElements === undefined
        ? exchange
        : withResponseJson(exchange, setValue('/data', firstElements));
    })(trace);
  };
}

const keepOnlyLast = setValue('/data', (data) => arrayAt(data).slice(-1));

/** Puts the element of the cursor at the front of the page, if any page shows that element. */
function repeatCursorElement(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const elements = elementsOf(trace, operation);
    return inEveryCall(operation, (exchange) => {
      const element = elements.get(queryOf(exchange.request).get(cursor) ?? '');
      if (element === undefined) return exchange;
      return withResponseJson(
        exchange,
        setValue('/data', (data) => [element, ...arrayAt(data)]),
      );
    })(trace);
  };
}

/** Replaces a page after a cursor with the page before it, and vice versa. */
function swapCursorSide(operation: string): Mutation {
  return (trace) =>
    inEveryCall(operation, (exchange) => {
      const opposite = trace.find((other) => callsOperation(other, operation) && isOpposite(exchange, other));
      const answer = opposite?.response?.body.json?.value;
      return answer === undefined ? exchange : withJsonResponse(exchange, 200, answer);
    })(trace);
}

/** Replaces pages before a cursor with another slice of the list. `slice` gets the indices of both cursors, or -1. */
function replaceBeforePage(
  slice: (whole: readonly Json[], after: number, before: number) => readonly Json[],
): Mutation {
  return (trace) => {
    const pages = trace.filter((exchange) => callsOperation(exchange, EXAMPLE_LIST));
    return inEveryCall(EXAMPLE_LIST, (exchange) => {
      const query = queryOf(exchange.request);
      const whole = pages.find((other) => isWholeFor(exchange, other))?.response?.body.json?.value;
      if (!query.has('before') || whole === undefined) return exchange;
      const ids = arrayAt(whole, 'data').map((element) => valueAtPath(element, 'id'));
      const [after, before] = [ids.indexOf(query.get('after') ?? ''), ids.indexOf(query.get('before') ?? '')];
      return withResponseJson(exchange, setValue('/data', slice(arrayAt(whole, 'data'), after, before)));
    })(trace);
  };
}

function isSameList({ request: one }: Exchange, { request: other }: Exchange): boolean {
  if (targetPath(one.target) !== targetPath(other.target)) return false;
  return queryOf(one).get('order') === queryOf(other).get('order');
}

/** Whether another response shows the whole list of a page, in the same order. */
function isWholeFor(page: Exchange, other: Exchange): boolean {
  const query = queryOf(other.request);
  if (!isSameList(page, other) || query.has('after') || query.has('before')) return false;
  return valueAtPath(other.response?.body.json?.value, 'has_more') === false;
}

/** Whether one page is after the cursor that the other one is before. */
function isOpposite(one: Exchange, other: Exchange): boolean {
  const [a, b] = [queryOf(one.request), queryOf(other.request)];
  const isSameCursor = (a.get('after') ?? a.get('before')) === (b.get('before') ?? b.get('after'));
  const isCrossed = a.has('after') === b.has('before') && a.has('before') === b.has('after');
  return isSameCursor && isCrossed && isSameList(one, other);
}

function elementsOf(trace: readonly Exchange[], operation: string): ReadonlyMap<string, Json> {
  const data = trace
    .filter((exchange) => callsOperation(exchange, operation))
    .flatMap(({ response }) => arrayAt(response?.body.json?.value, 'data'));
  return new Map(data.map((element) => [String(valueAtPath(element, 'id')), element]));
}

/** The field that a filter compares, by filter; a filter that is not listed has the name of its field. */
const FIELD_OF_FILTER: Readonly<Record<string, string>> = { filter: 'status' };

/** Code for rows of `lists.json` that tests of places cannot state, by rule. */
const CODE_BY_RULE: Readonly<Record<string, (row: ListRow) => CodeOf<ListedPage>>> = {
  'page.order-asc': () => ({ check: misplacedViolations }),
  'page.order-desc': () => ({ check: misplacedViolations }),
  'page.default-order': () => ({ check: misplacedViolations }),
  'page.reverse': () => ({ check: unreversedViolations }),
  'page.limit': () => ({
    check: ({ page, call }) => {
      const actual = arrayAt(call.responseJson, 'data').length;
      if (actual <= (page.maxElements ?? 0)) return [];
      return [violation('/data', `at most ${page.maxElements} elements`, `${actual} elements`)];
    },
  }),
  'page.default-limit': codeOfDefaultLimit,
  'page.after': (row) => codeAtCursor(row, 'after'),
  'page.before': (row) => codeAtCursor(row, 'before'),
  'page.closure': ({ operation: { id } }) => ({
    check: faultsOf('closure'),
    broken_by: {
      'one twice': repeatCursorElement(id, 'after'),
      'all but the last left out': inResponse(id, keepOnlyLast),
    },
  }),
  'page.has-more': codeOfHasMore,
};

function codeOfHasMore(row: ListRow): CodeOf<ListedPage> {
  const { traits, operation } = row;
  const mutations: Record<string, Mutation | EditRow> = {};
  if (!mayBeDeletedByOthers(row)) mutations['always another page'] = editPromisingMore(row);
  if (traits.scope === 'parent')
    mutations['another page behind a full one'] = inResponseWhere(
      operation.id,
      isFull,
      setValue('/has_more', true),
    );
  if (traits.filters.includes('filter'))
    mutations['another page behind an empty one with a filter'] = editPromisingMore(row, {
      'query.filter': { present: true },
      'answer.data': { at_most: 0 },
    });
  return { check: faultsOf('has-more'), broken_by: mutations };
}

function editPromisingMore({ operation: { id } }: ListRow, where: EditRow['where'] = {}): EditRow {
  return { in: id, where, set: { '/has_more': true } };
}

function isFull({ request, response }: Exchange): boolean {
  return queryOf(request).get('limit') === `${arrayAt(response?.body.json?.value, 'data').length}`;
}

function misplacedViolations({ judged, page: { order } }: ListedPage): Violation[] {
  return judged.flatMap(({ index, created }, i) => {
    const before = judged[i - 1]?.created;
    if (created === undefined || before === undefined) return [];
    if (order === 'asc' ? created >= before : created <= before) return [];
    const bound = order === 'asc' ? 'at least' : 'at most';
    return [violation(`/data/${index}/created_at`, `${bound} ${before}, as before it`, created)];
  });
}

function unreversedViolations({ reversal }: ListedPage): Violation[] {
  const { here = [], there = [] } = reversal ?? {};
  const reversed = there.toReversed();
  const at = here.findIndex(({ created }, i) => created !== reversed[i]?.created);
  const element = here[at];
  if (element === undefined) return [];
  const expected = `created at ${reversed[at]?.created}, as in the other order`;
  return [violation(`/data/${element.index}/created_at`, expected, element.created)];
}

function codeOfDefaultLimit(row: ListRow): CodeOf<ListedPage> {
  const { id } = row.operation;
  const most = row.traits.defaultLimit ?? 0;
  const isUnlimited = (exchange: Exchange): boolean => !hasParameters('limit')(exchange);
  const editUnlimited = (edit: (all: readonly Json[]) => readonly Json[]): Mutation =>
    inResponseWhere(
      id,
      isUnlimited,
      setValue('/data', (data) => edit(arrayAt(data))),
    );
  return {
    evidence: where(
      listedPages(row),
      that(
        'that is not the last, with no limit and with the default one',
        ({ page: { limit, elements, hasMore }, twin }) =>
          (limit === null && elements.length > most) || (hasMore === true && twin?.hasMore === true),
      ),
    ),
    check: ({ page: { limit, elements }, twin }) => {
      const expected = limit === null && elements.length > most ? most : twin?.elements.length;
      if (elements.length === expected) return [];
      const other = limit === null ? `with limit ${most}` : 'without limit';
      return [violation('/data', `${expected} elements, as ${other}`, `${elements.length} elements`)];
    },
    broken_by: {
      'another default': editUnlimited((all) => all.slice(0, most / 2)),
      'no default': editUnlimited((all) => (all.length < most ? all : [...all, ...all.slice(-1)])),
    },
  };
}

function codeAtCursor(row: ListRow, cursor: 'after' | 'before'): CodeOf<ListedPage> {
  const { id } = row.operation;
  const mutations: Record<string, Mutation> = {
    'the cursor again': repeatCursorElement(id, cursor),
    'the list from its beginning': restartAtBeginning(id, cursor),
  };
  if (row.traits.order && row.create !== null) {
    mutations['most left out'] = inResponseWhere(
      id,
      hasParameters(cursor),
      cursor === 'after' ? keepOnlyLast : setValue('/data', []),
    );
    mutations['the other side'] = swapCursorSide(id);
  }
  return { check: faultsOf(cursor), broken_by: mutations };
}

function faultsOf(rule: PageFault['rule']) {
  return ({ faults }: ListedPage): readonly Violation[] =>
    faults.filter((fault) => fault.rule === rule).map(({ complaint }) => complaint);
}

/** The requirements on the pages of all lists, from the rows of `lists.json` and `filters.json`. */
export const pageRequirements = listRows().flatMap((row) => {
  const { operation, traits } = row;
  const parameters = { ...row, ...traits, traits, spec: operation.spec, operation: operation.id };
  const evidence = listedPages(row);
  const codeOf = (rule: string) => withAnyEvidence({ evidence, ...CODE_BY_RULE[rule]?.(row) });
  const filters = traits.cursors.length === 0 ? [] : traits.filters;
  return [
    ...requirementsFrom('lists.json', parameters, codeOf),
    ...filters.flatMap((filter) => {
      const field = FIELD_OF_FILTER[filter] ?? filter;
      const rule = `${filter === 'filter' ? '' : 'filter-'}${filter.replaceAll('_', '-')}`;
      return requirementsFrom('filters.json', { ...parameters, filter, field, rule }, codeOf);
    }),
  ];
});

/** The list whose pages the mutations of the choices change. */
const EXAMPLE_LIST = 'listMessages';

const everyPage = anyOf(
  listRows()
    .filter(({ traits }) => traits.order && traits.scope === 'parent')
    .map(listedPages),
);

export const listsCursorBoth = choiceOf('lists.cursor.both', {
  selector: where(everyPage, ({ page }) => page.after !== null && page.before !== null),
  taken: ({ page, whole }) => {
    const ids = idsOf(whole);
    const [from, to] = [ids.indexOf(page.after ?? ''), ids.indexOf(page.before ?? '')];
    if (from < 0 || to <= from + 1 || ids.length <= to + 1) return null;
    const shown = JSON.stringify(page.elements.map(({ id }) => id));
    const isSlice = (start: number, end?: number) => shown === JSON.stringify(ids.slice(start, end));
    if (isSlice(from + 1, to)) return 'what lies between';
    if (isSlice(from + 1)) return 'as without before';
    return isSlice(0, to) ? 'as without after' : 'something else';
  },
  examples: {
    'as without before': replaceBeforePage((whole, from) => whole.slice(from + 1)),
    'as without after': replaceBeforePage((whole, _, to) => whole.slice(0, to)),
  },
});

export const listsBeforeWhichEnd = choiceOf('lists.before.which-end', {
  selector: where(everyPage, ({ page }) => page.after === null && page.before !== null),
  taken: ({ page, whole }) => {
    const ids = idsOf(whole);
    const to = ids.indexOf(page.before ?? '');
    const shown = page.elements.map(({ id }) => id);
    if (shown.length === 0 || to <= shown.length) return null;
    const isShown = (some: readonly string[]) => JSON.stringify(some) === JSON.stringify(shown);
    const nearest = ids.slice(to - shown.length, to);
    if (isShown(nearest)) return 'nearest to the cursor';
    if (isShown(ids.slice(0, shown.length))) return 'first of the list';
    return isShown(nearest.toReversed()) ? 'nearest to the cursor, nearest first' : 'something else';
  },
  examples: { 'first of the list': replaceBeforePage((whole) => whole.slice(0, 2)) },
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
  examples: { otherwise: inResponse(EXAMPLE_LIST, reverseElements) },
});

function idsOf(whole: AnsweredPage | null): readonly string[] {
  return (whole?.elements ?? []).map(({ id }) => id);
}

function anyOf<E extends Evidence>(selectors: readonly Selector<E>[]): Selector<E> {
  return {
    operations: [...new Set(selectors.flatMap(({ operations }) => operations))],
    variant: null,
    anyOf: selectors,
    collect: () => {
      const collectors = selectors.map((selector) => ({ selector, collector: selector.collect() }));
      return {
        call: (call) =>
          collectors.flatMap(({ selector: { operations, variant, everyVariant }, collector }) => {
            const { id } = call.operation;
            const isInVariant =
              variant === null || call.variant?.name === variant || everyVariant?.includes(id);
            return operations.includes(id) && isInVariant ? [...collector.call(call)] : [];
          }),
        finish: () => collectors.flatMap(({ collector }) => [...(collector.finish?.() ?? [])]),
      };
    },
  };
}
