import { inResponseWhere, setValue } from '../../vocabulary/changes.ts';
import { arrayAt } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Mutation } from '../../vocabulary/types.ts';
import { hasElements, queryOf } from './mutations.ts';
import { type ListRow, listRows } from './rows.ts';
import type { AnsweredPage } from './selectors/page.ts';
import { listedPages, withElements } from './selectors/pages.ts';

/** How long a page is. */
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

/** The limit that was asked for, as far as it is one; what becomes of another is left open. */
function asked({ limit: sent, row }: AnsweredPage): number | null {
  const value = sent === null || !/^\d+$/.test(sent) ? 0 : Number(sent);
  return value >= 1 && value <= (row.traits.maxLimit ?? Number.POSITIVE_INFINITY) ? value : null;
}

function lengthened<T>(data: readonly T[], most: number): readonly T[] {
  return data.length < most ? data : [...data, ...data.slice(-1)];
}
