import { inAnswerWhere } from '../../../judge/edit/breaks.ts';
import { put } from '../../../judge/edit/values.ts';
import type { Complaint } from '../../../judge/requirement.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { cursorAgain, has, onlyLast, otherSide } from './break.ts';
import { rank } from './page.ts';
import { type ListedPage, pages } from './pages.ts';
import type { Known } from './roster.ts';
import { type ListRow, listRows } from './rows.ts';
import { idsOf, isAtEnd } from './walk.ts';

/** Where pages begin and end. */
export const cursors = listRows().flatMap((row) => [
  ...(row.traits.cursors.includes('after') ? [after(row), closure(row)] : []),
  ...(row.traits.cursors.includes('before') ? [before(row)] : []),
  ...(row.envelope.includes('has_more') ? [hasMore(row)] : []),
]);

function after(row: ListRow) {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.after`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: 'A page after a cursor begins right behind it and leaves nothing out.',
    on: only(pages(row), (page) => page.cursor !== null && page.after !== null && page.before === null),
    check: (page) => [...repeated(page, page.after), ...astray(page, 'behind'), ...lacking(page.gaps.after)],
    breaks: {
      'the cursor again': cursorAgain(id, 'after'),
      ...(isSpread(row)
        ? {
            'all but the last left out': inAnswerWhere(id, has('after'), onlyLast),
            'what lies in front': otherSide(id),
          }
        : {}),
    },
  });
}

function before(row: ListRow) {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.before`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: 'A page before a cursor lies in front of it and leaves nothing out.',
    on: only(pages(row), (page) => page.cursor !== null && page.before !== null && page.after === null),
    check: (page) => [
      ...repeated(page, page.before),
      ...astray(page, 'in front'),
      ...lacking(page.gaps.before),
    ],
    breaks: {
      'the cursor again': cursorAgain(id, 'before'),
      ...(isSpread(row)
        ? {
            'nothing in front': inAnswerWhere(id, has('before'), put('/data', [])),
            'what lies behind': otherSide(id),
          }
        : {}),
    },
  });
}

/** Whether its elements can have times of their own; those that come with their owner share one, and nothing tells them apart. */
function isSpread({ traits, create }: ListRow): boolean {
  return traits.order && create !== null;
}

function closure(row: ListRow) {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.closure`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: 'Walking from page to page to the end shows each object exactly once.',
    on: only(pages(row), ({ walk }) => walk !== null && isAtEnd(walk) && idsOf(walk).length > 0),
    check: (page) => [...twice(page), ...lacking(page.gaps.walk)],
    breaks: {
      'one twice': cursorAgain(id, 'after'),
      'all but the last left out': inAnswerWhere(id, () => true, onlyLast),
    },
  });
}

function hasMore(row: ListRow) {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.has-more`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: '`has_more` tells whether another page follows.',
    on: only(pages(row), (page) => page.hasMore !== undefined && page.before === null && tellsOfMore(page)),
    check: (page) => [...denied(page), ...broken(page)],
    breaks: {
      ...(row.traits.scope === 'parent'
        ? { 'always another page': inAnswerWhere(id, () => true, put('/has_more', true)) }
        : {}),
      'never another page': inAnswerWhere(
        id,
        () => true,
        put('/has_more', (old) => (old === true ? false : (old ?? false))),
      ),
    },
  });
}

/** A page that something follows, the end of a list that is known, or a page behind the last one. */
function tellsOfMore({ walk, stable, elements }: ListedPage): boolean {
  return (walk?.pages.length ?? 0) > 1 || stable.length > elements.length;
}

function repeated({ elements }: ListedPage, cursor: string | null): Complaint[] {
  return elements
    .filter(({ id }) => id === cursor)
    .map(({ index, id }) => ({ at: `/data/${index}/id`, expected: 'not the cursor itself', actual: id }));
}

/** Elements that lie on the wrong side of the cursor. */
function astray({ judged, cursor, order }: ListedPage, side: 'behind' | 'in front'): Complaint[] {
  const from = cursor?.created;
  if (from === undefined || order === null) return [];
  return judged
    .filter(({ created }) => {
      const distance = rank(order, created ?? from) - rank(order, from);
      return side === 'behind' ? distance < 0 : distance > 0;
    })
    .map(({ index, created }) => ({
      at: `/data/${index}/created_at`,
      expected: `what lies ${side === 'behind' ? 'behind' : 'in front of'} the cursor, created at ${from}`,
      actual: created,
    }));
}

function lacking(gap: readonly Known[]): Complaint[] {
  return gap.map(({ id, exchange }) => ({
    at: '/data',
    expected: `${id}, known since ${exchange}`,
    actual: undefined,
  }));
}

/** In a list of the organisation only our own objects count. */
function twice({ walk, row, stable }: ListedPage): Complaint[] {
  const own = row.traits.scope === 'parent' ? null : new Set(stable.map(({ id }) => id));
  const ids = (walk === null ? [] : idsOf(walk)).filter((id) => own === null || own.has(id));
  return ids.flatMap((id, i) =>
    ids.indexOf(id) === i ? [] : [{ at: '/data', expected: 'each object once', actual: id }],
  );
}

/** Behind a page that says it is the last there is something that was there all the time. */
function denied({ gaps, walk, elements, stable }: ListedPage): Complaint[] {
  const known = new Set(stable.map(({ id }) => id));
  const promise = walk?.pages.at(-2);
  const [more] = gaps.end;
  if (more !== undefined) return [{ at: '/has_more', expected: `true, ${more.id} follows`, actual: false }];
  const late = promise?.hasMore === false ? elements.filter(({ id }) => known.has(id)) : [];
  return late.map(({ id, index }) => ({
    at: `/data/${index}`,
    expected: `nothing, ${promise?.call.exchange.id} says that it is the last page`,
    actual: id,
  }));
}

function broken({ isBroken, walk }: ListedPage): Complaint[] {
  if (!isBroken) return [];
  const promise = walk?.pages.at(-2)?.call.exchange.id;
  return [{ at: '/data', expected: `an element, ${promise} says that another page follows`, actual: [] }];
}
