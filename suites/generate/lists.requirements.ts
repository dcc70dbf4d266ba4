import type { HttpRequest } from '../../exchange/exchange.ts';
import { choiceOf } from '../rows/rows.ts';
import {
  callsOperation,
  inEveryResponse,
  inResponse,
  inResponseWhere,
  setIn,
  setValue,
  succeedInstead,
} from '../vocabulary/changes.ts';
import { refusal } from '../vocabulary/choice-shapes.ts';
import { precedes } from '../vocabulary/collecting.ts';
import { withJsonResponse, withResponseJson, withStatus } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import { namesNothingIn, requests, responses, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Evidence, Exchange, Json, Mutation, Selector, Violation } from '../vocabulary/types.ts';
import {
  type AnsweredPage,
  endsCompleteWalk,
  isCompleteList,
  isEmptyEnd,
  type ListElement,
  type ListedPage,
  type ListOrder,
  type ListRow,
  listedPages,
  listRows,
  mayBeTakenAway,
  type PageFault,
  withElements,
} from './lists.ts';

export function queryOf({ target }: HttpRequest): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '');
}

export function hasOrder(order: 'asc' | 'desc'): (exchange: Exchange) => boolean {
  return ({ request }) => (queryOf(request).get('order') ?? 'desc') === order;
}

export function hasElements(...parameters: readonly string[]): (exchange: Exchange) => boolean {
  return ({ request }) => parameters.every((name) => queryOf(request).has(name));
}

export const reverseElements = setValue('/data', (data) => arrayAt(data).toReversed());

export const moveFirstToEnd = setValue('/data', (data) => [
  ...arrayAt(data).slice(1),
  ...arrayAt(data).slice(0, 1),
]);

/** Returns the first page of the list in place of one behind a cursor. */
export function restartAtBeginning(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const beginnings = trace.filter(
      (exchange) =>
        callsOperation(exchange, operation) &&
        !hasElements('after')(exchange) &&
        !hasElements('before')(exchange),
    );
    return edited(trace, operation, (exchange) => {
      const id = queryOf(exchange.request).get(cursor);
      const whole = beginnings
        .map(({ response }) => arrayAt(response?.body.json?.value, 'data'))
        .find((data) => data.some((element) => valueAtPath(element, 'id') === id));
      return whole === undefined ? exchange : withResponseJson(exchange, setValue('/data', whole));
    });
  };
}

export const keepOnlyLast = setValue('/data', (data) => arrayAt(data).slice(-1));

/** Puts the element of the cursor at the front of the page behind it, if another page shows that element. */
export function repeatCursorElement(operation: string, cursor: 'after' | 'before'): Mutation {
  return (trace) => {
    const shown = elementsOf(trace, operation);
    return edited(trace, operation, (exchange) => {
      const element = shown.get(queryOf(exchange.request).get(cursor) ?? '');
      if (element === undefined) return exchange;
      return withResponseJson(
        exchange,
        setValue('/data', (data) => [element, ...arrayAt(data)]),
      );
    });
  };
}

/** Swaps the pages in front of and behind a cursor. */
export function swapCursorSide(operation: string): Mutation {
  return (trace) =>
    edited(trace, operation, (exchange) => {
      const opposite = trace.find((other) => callsOperation(other, operation) && isOpposite(exchange, other));
      const answer = opposite?.response?.body.json?.value;
      return answer === undefined ? exchange : withJsonResponse(exchange, 200, answer);
    });
}

/** Replaces pages with a `before` by another slice of the whole list. The callback receives the indexes of both cursors. */
export function replaceBeforePage(
  operation: string,
  stretch: (whole: readonly Json[], after: number, before: number) => readonly Json[],
): Mutation {
  return (trace) => {
    const pages = trace.filter((exchange) => callsOperation(exchange, operation));
    return edited(trace, operation, (exchange) => {
      const query = queryOf(exchange.request);
      const whole = pages.find((other) => isWholeFor(exchange, other))?.response?.body.json?.value;
      if (!query.has('before') || whole === undefined) return exchange;
      const ids = arrayAt(whole, 'data').map((element) => valueAtPath(element, 'id'));
      const [after, before] = [ids.indexOf(query.get('after') ?? ''), ids.indexOf(query.get('before') ?? '')];
      return withResponseJson(exchange, setValue('/data', stretch(arrayAt(whole, 'data'), after, before)));
    });
  };
}

function isWholeFor({ request: one }: Exchange, { request: other, response }: Exchange): boolean {
  const [a, b] = [queryOf(one), queryOf(other)];
  if (one.target.split('?')[0] !== other.target.split('?')[0]) return false;
  if (b.has('after') || b.has('before') || a.get('order') !== b.get('order')) return false;
  return valueAtPath(response?.body.json?.value, 'has_more') === false;
}

function isOpposite({ request: one }: Exchange, { request: other }: Exchange): boolean {
  const [path] = one.target.split('?');
  if (other.target.split('?')[0] !== path) return false;
  const [a, b] = [queryOf(one), queryOf(other)];
  const crossed = (a.get('after') ?? a.get('before')) === (b.get('before') ?? b.get('after'));
  const sameOrder = a.get('order') === b.get('order');
  return crossed && sameOrder && a.has('after') === b.has('before') && a.has('before') === b.has('after');
}

function elementsOf(trace: readonly Exchange[], operation: string): ReadonlyMap<string, Json> {
  const data = trace
    .filter((exchange) => callsOperation(exchange, operation))
    .flatMap(({ response }) => arrayAt(response?.body.json?.value, 'data'));
  return new Map(data.map((element) => [String(valueAtPath(element, 'id')), element]));
}

function edited(
  trace: readonly Exchange[],
  operation: string,
  edit: (exchange: Exchange) => Exchange,
): readonly Exchange[] | null {
  const changed = trace.map((exchange) => (callsOperation(exchange, operation) ? edit(exchange) : exchange));
  return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
}

const withTwoTimes = that<ListedPage>(
  'with two times of creation',
  ({ judged }) => new Set(judged.map(({ created }) => created)).size > 1,
);

export const orders = listRows()
  .filter(({ traits }) => traits.order)
  .flatMap((row) => [
    ...[named(row, 'asc'), named(row, 'desc'), byDefault(row)],
    // Other clients change a list of the organisation, so it is never seen whole.
    ...(row.traits.scope === 'parent' ? [reverse(row)] : []),
  ]);

function named(row: ListRow, order: ListOrder) {
  const { id, spec } = row.operation;
  const isNamed = (exchange: Exchange): boolean =>
    hasElements('order')(exchange) && hasOrder(order)(exchange);
  return section(spec).stated(`${row.subject}.page.order-${order}`, {
    says: `With \`order\` ${order} the creation times never ${order === 'asc' ? 'decrease' : 'increase'}.`,
    selector: where(
      listedPages(row),
      that(`whose query has order ${order}`, ({ page }) => !page.isDefaultOrder && page.order === order),
      withTwoTimes,
    ),
    check: misplaced,
    mutations: {
      backwards: inResponseWhere(id, isNamed, reverseElements),
      'the first at the end': inResponseWhere(id, isNamed, moveFirstToEnd),
    },
  });
}

function byDefault(row: ListRow) {
  const { id, spec } = row.operation;
  const isUnordered = (exchange: Exchange): boolean => !hasElements('order')(exchange);
  return section(spec).stated(`${row.subject}.page.default-order`, {
    says: 'Without `order` the newest elements come first.',
    selector: where(
      listedPages(row),
      that('whose query has no order', ({ page }) => page.isDefaultOrder),
      withTwoTimes,
    ),
    check: misplaced,
    mutations: {
      backwards: inResponseWhere(id, isUnordered, reverseElements),
      'the first at the end': inResponseWhere(id, isUnordered, moveFirstToEnd),
    },
  });
}

function reverse(row: ListRow) {
  const { id, spec } = row.operation;
  const mutations: Readonly<Record<string, Mutation>> = {
    'both in one order': inResponseWhere(id, hasOrder('asc'), reverseElements),
    'the first at the end': inResponseWhere(id, hasOrder('asc'), moveFirstToEnd),
  };
  return section(spec).implied(`${row.subject}.page.reverse`, {
    says: 'The ascending list is the reverse of the descending one, except for objects of the same second.',
    selector: where(
      listedPages(row),
      that(
        'that is the whole list in both orders, with two times of creation',
        (page) => reversal(page) !== null,
      ),
    ),
    check: (page) => {
      const { here, there } = reversal(page) ?? { here: [], there: [] };
      const wanted = there.toReversed();
      const at = here.findIndex(({ created }, i) => created !== wanted[i]?.created);
      return at === -1
        ? []
        : [
            violation(
              `/data/${here[at]?.index}/created_at`,
              `created at ${wanted[at]?.created}, as in the other order`,
              here[at]?.created,
            ),
          ];
    },
    mutations,
  });
}

/** The elements that both complete lists contain, in order; null if that proves nothing. */
function reversal({ page, opposite }: ListedPage) {
  if (!isCompleteList(page) || opposite === null) return null;
  const [here, there] = [page.elements, opposite.elements];
  // An object that was removed and added again has a new timestamp.
  const isIn = (others: readonly ListElement[]) => {
    const times = new Map(others.map(({ id, created }) => [id, created]));
    return ({ id, created }: ListElement): boolean => created !== undefined && times.get(id) === created;
  };
  const common = { here: here.filter(isIn(there)), there: there.filter(isIn(here)) };
  return new Set(common.here.map(({ created }) => created)).size < 2 ? null : common;
}

function misplaced({ judged, page: { order } }: ListedPage): Violation[] {
  return judged.flatMap(({ index, created }, i) => {
    const before = judged[i - 1]?.created;
    if (created === undefined || before === undefined) return [];
    if (order === 'asc' ? created >= before : created <= before) return [];
    const bound = order === 'asc' ? 'at least' : 'at most';
    return [violation(`/data/${index}/created_at`, `${bound} ${before}, as before it`, created)];
  });
}

export const sizes = listRows()
  .filter(({ takesLimit }) => takesLimit)
  .flatMap((row) => (row.traits.defaultLimit === null ? [limit(row)] : [limit(row), defaultLimit(row)]));

function limit(row: ListRow) {
  const { id } = row.operation;
  return section(row.operation.spec).stated(`${row.subject}.page.limit`, {
    says: 'A page holds at most `limit` elements.',
    selector: where(
      listedPages(row),
      that('whose query has a valid limit', ({ page }) => asked(page) !== null),
      withElements,
    ),
    check: ({ page }) => {
      const most = asked(page) ?? 0;
      const actual = arrayAt(page.call.responseJson, 'data').length;
      return actual <= most ? [] : [violation('/data', `at most ${most} elements`, `${actual} elements`)];
    },
    mutations: {
      'one too many': inResponseWhere(
        id,
        ({ request }) => queryOf(request).get('limit') === '1',
        setValue('/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(-1)]),
      ),
      'far more': inResponseWhere(
        id,
        hasElements('limit'),
        setValue('/data', (data) => Array.from({ length: 10 }, () => arrayAt(data)).flat()),
      ),
    },
  });
}

function defaultLimit(row: ListRow) {
  const { id } = row.operation;
  const most = row.traits.defaultLimit ?? 0;
  const mutations: Readonly<Record<string, Mutation>> = {
    'another default': inResponseWhere(
      id,
      ({ request }) => !queryOf(request).has('limit'),
      setValue('/data', (data) => arrayAt(data).slice(0, most / 2)),
    ),
    'no default': inResponseWhere(
      id,
      ({ request }) => !queryOf(request).has('limit'),
      setValue('/data', (data) => lengthened(arrayAt(data), most)),
    ),
  };
  return section(row.operation.spec).stated(`${row.subject}.page.default-limit`, {
    says: `Without \`limit\` a page has as many elements as with \`limit\` ${most}.`,
    selector: where(
      listedPages(row),
      that(
        'that is not the last, with no limit and with the default one',
        ({ page: { limit: named, elements, hasMore }, twin }) =>
          (named === null && elements.length > most) || (hasMore === true && twin?.hasMore === true),
      ),
    ),
    check: ({ page: { limit: named, elements }, twin }) => {
      const wanted = named === null && elements.length > most ? most : twin?.elements.length;
      if (elements.length === wanted) return [];
      const other = named === null ? `with limit ${most}` : 'without limit';
      return [violation('/data', `${wanted} elements, as ${other}`, `${elements.length} elements`)];
    },
    mutations,
  });
}

/** Null for an invalid limit, whose effect is left open. */
function asked({ limit: sent, row }: AnsweredPage): number | null {
  const value = sent === null || !/^\d+$/.test(sent) ? 0 : Number(sent);
  return value >= 1 && value <= (row.traits.maxLimit ?? Number.POSITIVE_INFINITY) ? value : null;
}

function lengthened<T>(data: readonly T[], most: number): readonly T[] {
  return data.length < most ? data : [...data, ...data.slice(-1)];
}

export const cursors = listRows().flatMap((row) => [
  ...(row.traits.cursors.includes('after') ? [after(row), closure(row)] : []),
  ...(row.traits.cursors.includes('before') ? [before(row)] : []),
  ...(row.envelope.includes('has_more') ? [hasMore(row)] : []),
]);

function after(row: ListRow) {
  const { id, spec } = row.operation;
  return section(spec).stated(`${row.subject}.page.after`, {
    says: 'A page after a cursor begins directly after it and omits nothing.',
    selector: where(
      listedPages(row),
      that(
        'after a cursor that is known from another page',
        ({ after: cursor, page }) => cursor !== null && page.before === null,
      ),
    ),
    check: (page) => faults(page, 'after'),
    mutations: {
      'the cursor again': repeatCursorElement(id, 'after'),
      'the list from its beginning': restartAtBeginning(id, 'after'),
      ...(isSpread(row) ? afterSpread(id) : {}),
    },
  });
}

function before(row: ListRow) {
  const { id, spec } = row.operation;
  return section(spec).stated(`${row.subject}.page.before`, {
    says: 'A page before a cursor contains only elements before it and omits nothing.',
    selector: where(
      listedPages(row),
      that(
        'before a cursor that is known from another page',
        ({ before: cursor, page }) => cursor !== null && page.after === null,
      ),
    ),
    check: (page) => faults(page, 'before'),
    mutations: {
      'the cursor again': repeatCursorElement(id, 'before'),
      'the list from its beginning': restartAtBeginning(id, 'before'),
      ...(isSpread(row) ? beforeSpread(id) : {}),
    },
  });
}

function isSpread({ traits, create }: ListRow): boolean {
  return traits.order && create !== null;
}

function closure(row: ListRow) {
  const { id, spec } = row.operation;
  return section(spec).implied(`${row.subject}.page.closure`, {
    says: 'Walking from page to page to the end shows each object exactly once.',
    selector: where(
      listedPages(row),
      that('that ends a walk through the list, which nothing changed meanwhile', endsCompleteWalk),
    ),
    check: (page) => faults(page, 'closure'),
    mutations: {
      'one twice': repeatCursorElement(id, 'after'),
      'all but the last left out': inResponseWhere(id, () => true, keepOnlyLast),
    },
  });
}

function hasMore(row: ListRow) {
  const { id, spec } = row.operation;
  const mutations: Readonly<Record<string, Mutation>> = {
    ...(mayBeTakenAway(row)
      ? {}
      : { 'always another page': inResponseWhere(id, () => true, setValue('/has_more', true)) }),
    'another page behind an empty one': inResponseWhere(id, isEmptyBehindCursor, setValue('/has_more', true)),
    'only behind a cursor': inResponseWhere(
      id,
      (exchange) => !hasElements('after')(exchange),
      setValue('/has_more', (old) => (old === true ? false : (old ?? false))),
    ),
    'never another page': inResponseWhere(
      id,
      () => true,
      setValue('/has_more', (old) => (old === true ? false : (old ?? false))),
    ),
  };
  return section(spec).implied(`${row.subject}.page.has-more`, {
    says: '`has_more` states whether another page follows.',
    selector: where(
      listedPages(row),
      that('with has_more', ({ page }) => page.hasMore !== undefined && page.before === null),
      that('of which it is known whether something follows', isConclusive),
    ),
    check: (page) => faults(page, 'has-more'),
    mutations,
  });
}

function isEmptyBehindCursor({ request, response }: Exchange): boolean {
  const query = queryOf(request);
  const isWhole = Object.keys(Object.fromEntries(query)).every((name) =>
    ['after', 'limit', 'order'].includes(name),
  );
  return isWhole && query.has('after') && arrayAt(response?.body.json?.value, 'data').length === 0;
}

function isConclusive(listed: ListedPage): boolean {
  const { walk, stable, page } = listed;
  if (!page.isLasting) return false;
  return isEmptyEnd(listed) || (walk?.pages.length ?? 0) > 1 || stable.length > page.elements.length;
}

function faults(page: ListedPage, of: PageFault['of']): readonly Violation[] {
  return page.faults.filter((fault) => fault.of === of).map(({ complaint }) => complaint);
}

function afterSpread(id: string): Readonly<Record<string, Mutation>> {
  return {
    'all but the last left out': inResponseWhere(id, hasElements('after'), keepOnlyLast),
    'what lies in front': swapCursorSide(id),
  };
}

function beforeSpread(id: string): Readonly<Record<string, Mutation>> {
  return {
    'nothing in front': inResponseWhere(id, hasElements('before'), setValue('/data', [])),
    'what lies behind': swapCursorSide(id),
  };
}

const FIELDS: Readonly<Record<string, string>> = { filter: 'status' };

export const envelopes = listRows().flatMap((row) => [
  ...(row.envelope.includes('first_id') ? [edge(row, 'first')] : []),
  ...(row.envelope.includes('last_id') ? [edge(row, 'last')] : []),
  ...(row.traits.cursors.length > 0 ? row.traits.filters.map((name) => filter(row, name)) : []),
]);

function edge(row: ListRow, which: 'first' | 'last') {
  const { id, spec } = row.operation;
  return section(spec).implied(`${row.subject}.page.${which}-id`, {
    says: `\`${which}_id\` is the id of the ${which} element.`,
    selector: where(listedPages(row), withElements),
    check: ({ page: { call, elements } }) => {
      const shown = valueAtPath(call.responseJson, `${which}_id`);
      const wanted = elements.at(which === 'first' ? 0 : -1)?.id;
      return shown === wanted ? [] : [violation(`/${which}_id`, `${wanted}`, shown)];
    },
    mutations: {
      'another id': setIn(id, `/${which}_id`, 'id_of_nobody'),
      'left out': setIn(id, `/${which}_id`, null),
    },
  });
}

function filter(row: ListRow, name: string) {
  const { id, spec } = row.operation;
  const field = FIELDS[name] ?? name;
  return section(spec).stated(
    `${row.subject}.page.${name === 'filter' ? '' : 'filter-'}${name.replaceAll('_', '-')}`,
    {
      says: `A page filtered by \`${name}\` has only elements with that \`${field}\`.`,
      selector: where(
        listedPages(row),
        that(`whose query has ${name}`, ({ page: { filters } }) => filters[name] !== undefined),
        withElements,
      ),
      check: ({ page: { filters, call } }) =>
        arrayAt(call.responseJson, 'data').flatMap((element, i) => {
          const actual = valueAtPath(element, field);
          // The schema says whether elements have the field.
          return actual === undefined || actual === filters[name]
            ? []
            : [violation(`/data/${i}/${field}`, `${filters[name]}`, actual)];
        }),
      mutations: {
        'one that does not fit': inResponseWhere(
          id,
          hasElements(name),
          setValue(`/data/0/${field}`, 'another'),
        ),
        'none that fits': inResponseWhere(id, hasElements(name), setValue(`/data/*/${field}`, 'another')),
      },
    },
  );
}

const EXAMPLE = 'listMessages';

const paged = [
  ...new Set(
    listRows()
      .filter(({ takesLimit }) => takesLimit)
      .map(({ operation }) => operation.id),
  ),
];
const everyPage = anyOf(
  listRows()
    .filter(({ traits }) => traits.order && traits.scope === 'parent')
    .map(listedPages),
);

export const listsEmptyPageIds = choiceOf('lists.empty-page.ids', {
  selector: where(
    responses(paged),
    ({ answer, call }) => arrayAt(answer, 'data').length === 0 && envelopeOf(call).includes('first_id'),
  ),
  taken: ({ answer }) => {
    const ids = [valueAtPath(answer, 'first_id'), valueAtPath(answer, 'last_id')];
    if (ids.every((id) => id === null)) return 'null';
    if (ids.every((id) => id === undefined)) return 'absent';
    return ids.every((id) => id === '') ? 'an empty string' : 'something else';
  },
});

export const listsLimitOutOfRange = choiceOf('lists.limit.out-of-range', {
  selector: where(requests(paged), ({ call }) => isOutOfRange(call)),
  taken: ({ call }) => {
    if (call.responseClass === 'rejected' || call.responseClass === 'absent') return 'refused';
    if (call.responseClass !== 'accepted') return null;
    const limit = Number(call.query.get('limit'));
    const found = arrayAt(call.responseJson, 'data').length;
    const { defaultLimit, maxLimit } = call.operation.list ?? {};
    if (limit < 1) return found === 0 ? 'an empty page' : found === 1 ? 'clamped' : 'default used';
    if (found === maxLimit) return 'clamped';
    return found === defaultLimit && valueAtPath(call.responseJson, 'has_more') === true
      ? 'default used'
      : null;
  },
  examples: {
    clamped: succeedInstead(EXAMPLE, () => pageWith(1)),
    'default used': succeedInstead(EXAMPLE, () => pageWith(20)),
  },
});

export const listsCursorUnknown = choiceOf('lists.cursor.unknown', {
  selector: where(requests(paged), namesNothingIn('query.after')),
  taken: ({ call }) => {
    if (call.responseClass === 'rejected' || call.responseClass === 'absent') return 'refused';
    if (call.responseClass !== 'accepted') return null;
    return arrayAt(call.responseJson, 'data').length === 0 ? 'an empty page' : 'the first page';
  },
  examples: {
    'an empty page': succeedInstead(EXAMPLE, () => pageWith(0)),
    'the first page': succeedInstead(EXAMPLE, () => pageWith(1)),
  },
});

export const listsCursorBoth = choiceOf('lists.cursor.both', {
  selector: where(everyPage, ({ page }) => page.after !== null && page.before !== null),
  taken: ({ page, whole }) => {
    const ids = sequence(whole);
    const [from, to] = [ids.indexOf(page.after ?? ''), ids.indexOf(page.before ?? '')];
    if (from < 0 || to <= from + 1 || ids.length <= to + 1) return null;
    const shown = JSON.stringify(page.elements.map(({ id }) => id));
    const is = (start: number, end?: number): boolean => shown === JSON.stringify(ids.slice(start, end));
    if (is(from + 1, to)) return 'what lies between';
    if (is(from + 1)) return 'as without before';
    return is(0, to) ? 'as without after' : 'something else';
  },
  examples: {
    'as without before': replaceBeforePage(EXAMPLE, (whole, from) => whole.slice(from + 1)),
    'as without after': replaceBeforePage(EXAMPLE, (whole, _, to) => whole.slice(0, to)),
  },
});

export const listsCursorBothAccepted = choiceOf('lists.cursor.both-accepted', {
  selector: where(requests(paged), ({ call }) => call.query.has('after') && call.query.has('before')),
  taken: refusal('accepted'),
  examples: {
    refused: inEveryResponse(EXAMPLE, (one) =>
      hasElements('after', 'before')(one) ? withStatus(one, 400) : one,
    ),
  },
});

export const listsBeforeWhichEnd = choiceOf('lists.before.which-end', {
  selector: where(everyPage, ({ page }) => page.after === null && page.before !== null),
  taken: ({ page, whole }) => {
    const ids = sequence(whole);
    const to = ids.indexOf(page.before ?? '');
    const shown = page.elements.map(({ id }) => id);
    if (shown.length === 0 || to <= shown.length) return null;
    const is = (some: readonly string[]): boolean => JSON.stringify(some) === JSON.stringify(shown);
    const nearest = ids.slice(to - shown.length, to);
    if (is(nearest)) return 'nearest to the cursor';
    if (is(ids.slice(0, shown.length))) return 'first of the list';
    return is(nearest.toReversed()) ? 'nearest to the cursor, nearest first' : 'something else';
  },
  examples: { 'first of the list': replaceBeforePage(EXAMPLE, (whole) => whole.slice(0, 2)) },
});

export const listsOrderSameSecond = choiceOf('lists.order.same-second', {
  selector: everyPage,
  taken: ({ known, page: { order } }) => {
    const pairs = known.flatMap((one, i) => {
      const next = known[i + 1];
      const isTied = next?.created === one.created && one.made && next?.made === true;
      return isTied && (precedes(one, next) || precedes(next, one)) ? [[one, next] as const] : [];
    });
    if (pairs.length === 0 || order === null) return null;
    const asMade = pairs.every(([one, next]) =>
      order === 'asc' ? precedes(one, next) : precedes(next, one),
    );
    return asMade ? 'as they were made' : 'otherwise';
  },
  examples: { otherwise: inResponse(EXAMPLE, reverseElements) },
});

function isOutOfRange({ query, operation }: Call): boolean {
  const sent = query.get('limit');
  const most = operation.list?.maxLimit ?? null;
  if (sent === null || most === null) return false;
  return /^-?\d+$/.test(sent) && (Number(sent) < 1 || Number(sent) > most);
}

function envelopeOf({ operation }: Call): readonly string[] {
  return listRows().find((row) => row.operation === operation)?.envelope ?? [];
}

function sequence(whole: AnsweredPage | null): readonly string[] {
  return (whole?.elements ?? []).map(({ id }) => id);
}

function pageWith(count: number): Json {
  const data = Array.from({ length: count }, (_, i) => ({ id: `id_${i}`, created_at: 1 }));
  return { object: 'list', data, has_more: count > 0 };
}

export function anyOf<E extends Evidence>(selectors: readonly Selector<E>[]): Selector<E> {
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
            const isWanted = variant === null || call.variant?.name === variant || everyVariant?.includes(id);
            return operations.includes(id) && isWanted ? [...collector.call(call)] : [];
          }),
        finish: () => collectors.flatMap(({ collector }) => [...(collector.finish?.() ?? [])]),
      };
    },
  };
}
