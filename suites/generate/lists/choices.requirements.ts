import type { Json } from '../../../exchange/body.ts';
import type { Call } from '../../../judge/call.ts';
import { everywhere, inAnswer, succeedAnyway } from '../../../judge/edit/breaks.ts';
import { withStatus } from '../../../judge/edit/exchanges.ts';
import { all, put, remove } from '../../../judge/edit/values.ts';
import { get, list } from '../../../judge/json.ts';
import { answers, only, requests } from '../../../judge/selectors/answers.ts';
import { choice } from '../../../judge/write.ts';
import { anyOf } from './any-of.ts';
import { backwards, cutOut, has } from './break.ts';
import type { Page } from './page.ts';
import { pages } from './pages.ts';
import { isOver } from './removals.ts';
import { listRows } from './rows.ts';

/** The list whose answers stand for all in the examples. */
const EXAMPLE = 'listMessages';
const QUERY = '1 List query parameters';

/** Lists with the parameters of part 1, and those of part 2 that take some of them. */
const paged = [
  ...new Set(
    listRows()
      .filter(({ takesLimit }) => takesLimit)
      .map(({ operation }) => operation.id),
  ),
];
/** Only where nobody else changes a list its pages can be laid side by side. */
const everyPage = anyOf(
  listRows()
    .filter(({ traits }) => traits.order && traits.scope === 'parent')
    .map(pages),
);

export const emptyPage = choice({
  id: 'lists.empty-page.ids',
  spec: '1 Common shapes',
  says: 'What first_id and last_id are on an empty page.',
  alternatives: ['null', 'absent', 'an empty string'],
  on: only(answers(paged), ({ answer, call }) => {
    return list(answer, 'data').length === 0 && envelopeOf(call).includes('first_id');
  }),
  taken: ({ answer }) => {
    const ids = [get(answer, 'first_id'), get(answer, 'last_id')];
    if (ids.every((id) => id === null)) return 'null';
    if (ids.every((id) => id === undefined)) return 'absent';
    return ids.every((id) => id === '') ? 'an empty string' : 'something else';
  },
  examples: {
    absent: inAnswer(EXAMPLE, all(remove('/first_id'), remove('/last_id'))),
    'an empty string': inAnswer(EXAMPLE, all(put('/first_id', ''), put('/last_id', ''))),
  },
});

export const limitOutOfRange = choice({
  id: 'lists.limit.out-of-range',
  spec: QUERY,
  says: 'What a limit of 0, or above the greatest, does.',
  alternatives: ['refused', 'clamped', 'default used'],
  on: only(requests(paged), ({ call }) => isOutOfRange(call)),
  taken: ({ call }) => {
    if (call.outcome === 'rejected') return 'refused';
    if (call.outcome !== 'accepted') return null;
    const limit = Number(call.query.get('limit'));
    const found = list(call.answer, 'data').length;
    const { defaultLimit, maxLimit } = call.operation.list ?? {};
    if (limit < 1) return found === 0 ? 'an empty page' : found === 1 ? 'clamped' : 'default used';
    if (found === maxLimit) return 'clamped';
    return found === defaultLimit && get(call.answer, 'has_more') === true ? 'default used' : null;
  },
  examples: {
    clamped: succeedAnyway(EXAMPLE, () => pageWith(1)),
    'default used': succeedAnyway(EXAMPLE, () => pageWith(20)),
  },
});

export const unknownCursor = choice({
  id: 'lists.cursor.unknown',
  spec: QUERY,
  says: 'What a cursor that names no element gives.',
  alternatives: ['refused', 'an empty page', 'the first page'],
  on: only(requests(paged), ({ call: { exchange } }) => {
    return exchange.probe?.pointer === 'query.after' && exchange.probe.keyword === 'unknown';
  }),
  taken: ({ call }) => {
    if (call.outcome === 'rejected' || call.outcome === 'absent') return 'refused';
    if (call.outcome !== 'accepted') return null;
    return list(call.answer, 'data').length === 0 ? 'an empty page' : 'the first page';
  },
  examples: {
    'an empty page': succeedAnyway(EXAMPLE, () => pageWith(0)),
    'the first page': succeedAnyway(EXAMPLE, () => pageWith(1)),
  },
});

export const bothCursors = choice({
  id: 'lists.cursor.both',
  spec: QUERY,
  says: 'What after and before together give.',
  alternatives: ['what lies between', 'as without before', 'as without after'],
  on: only(everyPage, ({ page }) => page.after !== null && page.before !== null),
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
    'as without before': cutOut(EXAMPLE, (whole, from) => whole.slice(from + 1)),
    'as without after': cutOut(EXAMPLE, (whole, _, to) => whole.slice(0, to)),
  },
});

export const bothAccepted = choice({
  id: 'lists.cursor.both-accepted',
  spec: QUERY,
  says: 'Whether after and before may be given together.',
  alternatives: ['accepted', 'refused'],
  on: only(requests(paged), ({ call }) => call.query.has('after') && call.query.has('before')),
  taken: ({ call: { outcome } }) => {
    if (outcome === 'accepted') return 'accepted';
    return outcome === 'rejected' ? 'refused' : null;
  },
  examples: {
    refused: everywhere(EXAMPLE, (one) => (has('after', 'before')(one) ? withStatus(one, 400) : one)),
  },
});

export const beforeWhichEnd = choice({
  id: 'lists.before.which-end',
  spec: QUERY,
  says: 'Which elements a page before a cursor holds when more lie before it than the limit.',
  alternatives: ['nearest to the cursor', 'first of the list'],
  on: only(everyPage, ({ page }) => page.after === null && page.before !== null),
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
  examples: { 'first of the list': cutOut(EXAMPLE, (whole) => whole.slice(0, 2)) },
});

export const sameSecond = choice({
  id: 'lists.order.same-second',
  spec: QUERY,
  says: 'How objects of the same second are ordered.',
  alternatives: ['as they were made', 'otherwise'],
  on: everyPage,
  taken: ({ known, page: { order } }) => {
    const pairs = known.flatMap((one, i) => {
      const next = known[i + 1];
      const isTied = next?.created === one.created && one.made && next?.made === true;
      return isTied && (isOver(one, next) || isOver(next, one)) ? [[one, next] as const] : [];
    });
    if (pairs.length === 0 || order === null) return null;
    const asMade = pairs.every(([one, next]) => (order === 'asc' ? isOver(one, next) : isOver(next, one)));
    return asMade ? 'as they were made' : 'otherwise';
  },
  examples: { otherwise: inAnswer(EXAMPLE, backwards) },
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
function sequence(whole: Page | null): readonly string[] {
  return (whole?.elements ?? []).map(({ id }) => id);
}

function pageWith(count: number): Json {
  const data = Array.from({ length: count }, (_, i) => ({ id: `id_${i}`, created_at: 1 }));
  return { object: 'list', data, has_more: count > 0 };
}
