import { choiceOf } from '../../rows/rows.ts';
import { inEveryResponse, inResponse, removeIn, setAllIn, succeedInstead } from '../../vocabulary/changes.ts';
import { refusal } from '../../vocabulary/choice-shapes.ts';
import { withStatus } from '../../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../../vocabulary/json.ts';
import { namesNothingIn, requests, responses, where } from '../../vocabulary/selectors.ts';
import type { Call, Json } from '../../vocabulary/types.ts';
import { hasElements, replaceBeforePage, reverseElements } from './mutations.ts';
import { listRows } from './rows.ts';
import { anyOf } from './selectors/any-of.ts';
import type { AnsweredPage } from './selectors/page.ts';
import { listedPages } from './selectors/pages.ts';
import { endedBefore } from './selectors/removals.ts';

/** The list whose answers stand for all in the examples. */
const EXAMPLE = 'listMessages';

/** Lists with the parameters of part 1, and those of part 2 that take some of them. */
const paged = [
  ...new Set(
    listRows()
      .filter(({ takesLimit }) => takesLimit)
      .map(({ operation }) => operation.id),
  ),
];
/** Pages can be compared only where no other client changes the list. */
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
  examples: {
    absent: removeIn(EXAMPLE, '/first_id', '/last_id'),
    'an empty string': setAllIn(EXAMPLE, { '/first_id': '', '/last_id': '' }),
  },
});

export const listsLimitOutOfRange = choiceOf('lists.limit.out-of-range', {
  selector: where(requests(paged), ({ call }) => isOutOfRange(call)),
  taken: ({ call }) => {
    if (call.responseClass === 'rejected') return 'refused';
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
      return isTied && (endedBefore(one, next) || endedBefore(next, one)) ? [[one, next] as const] : [];
    });
    if (pairs.length === 0 || order === null) return null;
    const asMade = pairs.every(([one, next]) =>
      order === 'asc' ? endedBefore(one, next) : endedBefore(next, one),
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

/** The ids of the list in the order of this page, as the latest page with all of it showed them. */
function sequence(whole: AnsweredPage | null): readonly string[] {
  return (whole?.elements ?? []).map(({ id }) => id);
}

function pageWith(count: number): Json {
  const data = Array.from({ length: count }, (_, i) => ({ id: `id_${i}`, created_at: 1 }));
  return { object: 'list', data, has_more: count > 0 };
}
