import { inAnswerWhere } from '../../../judge/edit/breaks.ts';
import { put } from '../../../judge/edit/values.ts';
import type { Complaint } from '../../../judge/requirement.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { beginsAnew, cursorAgain, has, onlyLast, otherSide } from './break.ts';
import type { Fault } from './faults.ts';
import { type ListedPage, pages } from './pages.ts';
import { type ListRow, listRows } from './rows.ts';
import { isClosed } from './view.ts';

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
    on: only(pages(row), ({ after: cursor, page }) => cursor !== null && page.before === null),
    check: (page) => faults(page, 'after'),
    breaks: {
      'the cursor again': cursorAgain(id, 'after'),
      'the list from its beginning': beginsAnew(id, 'after'),
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
    on: only(pages(row), ({ before: cursor, page }) => cursor !== null && page.after === null),
    check: (page) => faults(page, 'before'),
    breaks: {
      'the cursor again': cursorAgain(id, 'before'),
      'the list from its beginning': beginsAnew(id, 'before'),
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
    on: only(pages(row), isClosed),
    check: (page) => faults(page, 'closure'),
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
    on: only(
      pages(row),
      (told) => told.page.hasMore !== undefined && told.page.before === null && tellsOfMore(told),
    ),
    check: (page) => faults(page, 'has-more'),
    breaks: {
      ...(row.traits.scope === 'parent'
        ? { 'always another page': inAnswerWhere(id, () => true, put('/has_more', true)) }
        : {}),
      'only behind a cursor': inAnswerWhere(
        id,
        (exchange) => !has('after')(exchange),
        put('/has_more', (old) => (old === true ? false : (old ?? false))),
      ),
      'never another page': inAnswerWhere(
        id,
        () => true,
        put('/has_more', (old) => (old === true ? false : (old ?? false))),
      ),
    },
  });
}

/** A page that something follows, the end of a list that is known, or a page behind the last one. */
function tellsOfMore({ walk, stable, page }: ListedPage): boolean {
  if (!page.isLasting) return false;
  return (walk?.pages.length ?? 0) > 1 || stable.length > page.elements.length;
}

function faults(page: ListedPage, of: Fault['of']): readonly Complaint[] {
  return page.faults.filter((fault) => fault.of === of).map(({ complaint }) => complaint);
}
