import { inResponseWhere, setValue } from '../../vocabulary/changes.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section } from '../../vocabulary/statements.ts';
import type { Mutation, Violation } from '../../vocabulary/types.ts';
import {
  hasElements,
  keepOnlyLast,
  repeatCursorElement,
  restartAtBeginning,
  swapCursorSide,
} from './mutations.ts';
import { type ListRow, listRows } from './rows.ts';
import { mayBeTakenAway, type PageFault } from './selectors/page-faults.ts';
import { isClosed } from './selectors/page-view.ts';
import { type ListedPage, listedPages } from './selectors/pages.ts';

/** Where pages begin and end. */
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

/** Whether its elements can have different times; those that are created with their owner share one, so their order is unknown. */
function isSpread({ traits, create }: ListRow): boolean {
  return traits.order && create !== null;
}

function closure(row: ListRow) {
  const { id, spec } = row.operation;
  return section(spec).implied(`${row.subject}.page.closure`, {
    says: 'Walking from page to page to the end shows each object exactly once.',
    selector: where(
      listedPages(row),
      that('that ends a walk through the list, which nothing changed meanwhile', isClosed),
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

/** A page that something follows, the end of a list that is known, or a page behind the last one. */
function isConclusive({ walk, stable, page }: ListedPage): boolean {
  if (!page.isLasting) return false;
  return (walk?.pages.length ?? 0) > 1 || stable.length > page.elements.length;
}

function faults(page: ListedPage, of: PageFault['of']): readonly Violation[] {
  return page.faults.filter((fault) => fault.of === of).map(({ complaint }) => complaint);
}

/** Further mutations of a page behind a cursor, where a list has elements on both of its sides. */
function afterSpread(id: string): Readonly<Record<string, Mutation>> {
  return {
    'all but the last left out': inResponseWhere(id, hasElements('after'), keepOnlyLast),
    'what lies in front': swapCursorSide(id),
  };
}

/** Further mutations of a page in front of a cursor, where a list has elements on both of its sides. */
function beforeSpread(id: string): Readonly<Record<string, Mutation>> {
  return {
    'nothing in front': inResponseWhere(id, hasElements('before'), setValue('/data', [])),
    'what lies behind': swapCursorSide(id),
  };
}
