import { inAnswerWhere } from '../../../judge/edit/breaks.ts';
import { put } from '../../../judge/edit/values.ts';
import { list } from '../../../judge/json.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { has, queryOf } from './break.ts';
import type { Page } from './page.ts';
import { pages } from './pages.ts';
import { type ListRow, listRows } from './rows.ts';

/** How long a page is. */
export const sizes = listRows()
  .filter(({ takesLimit }) => takesLimit)
  .flatMap((row) => (row.traits.defaultLimit === null ? [limit(row)] : [limit(row), defaultLimit(row)]));

function limit(row: ListRow) {
  const { id } = row.operation;
  return requirement({
    id: `${row.subject}.page.limit`,
    level: 'MUST',
    basis: 'stated',
    spec: row.operation.spec,
    says: 'A page holds at most `limit` elements.',
    on: only(pages(row), ({ page }) => asked(page) !== null && page.elements.length > 0),
    check: ({ page }) => {
      const most = asked(page) ?? 0;
      const actual = list(page.call.answer, 'data').length;
      return actual <= most
        ? []
        : [{ at: '/data', expected: `at most ${most} elements`, actual: `${actual} elements` }];
    },
    breaks: {
      'one too many': inAnswerWhere(
        id,
        ({ request }) => queryOf(request).get('limit') === '1',
        put('/data', (data) => [...list(data), ...list(data).slice(-1)]),
      ),
      'far more': inAnswerWhere(
        id,
        has('limit'),
        put('/data', (data) => Array.from({ length: 10 }, () => list(data)).flat()),
      ),
    },
  });
}

function defaultLimit(row: ListRow) {
  const { id } = row.operation;
  const most = row.traits.defaultLimit ?? 0;
  return requirement({
    id: `${row.subject}.page.default-limit`,
    level: 'MUST',
    basis: 'stated',
    spec: row.operation.spec,
    says: `Without \`limit\` a page is as long as with a limit of ${most}.`,
    on: only(
      pages(row),
      ({ page: { limit: named, elements, hasMore }, twin }) =>
        (named === null && elements.length > most) || (hasMore === true && twin?.hasMore === true),
    ),
    check: ({ page: { limit: named, elements }, twin }) => {
      const wanted = named === null && elements.length > most ? most : twin?.elements.length;
      return elements.length === wanted
        ? []
        : [{ at: '/data', expected: `${wanted} elements`, actual: `${elements.length} elements` }];
    },
    breaks: {
      'another default': inAnswerWhere(
        id,
        ({ request }) => !queryOf(request).has('limit'),
        put('/data', (data) => list(data).slice(0, most / 2)),
      ),
      'no default': inAnswerWhere(
        id,
        ({ request }) => !queryOf(request).has('limit'),
        put('/data', (data) => lengthened(list(data), most)),
      ),
    },
  });
}

/** The limit that was asked for, as far as it is one; what becomes of another is left open. */
function asked({ limit: sent, row }: Page): number | null {
  const value = sent === null || !/^\d+$/.test(sent) ? 0 : Number(sent);
  return value >= 1 && value <= (row.traits.maxLimit ?? Number.POSITIVE_INFINITY) ? value : null;
}

function lengthened<T>(data: readonly T[], most: number): readonly T[] {
  return data.length < most ? data : [...data, ...data.slice(-1)];
}
