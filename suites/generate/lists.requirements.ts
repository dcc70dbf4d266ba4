import { queryOf } from '../../judge/trace/call.ts';
import type { EditRow } from '../rows/edits.ts';
import type { CodeOf } from '../rows/rows.ts';
import { inResponse, inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { arrayAt } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Mutation, Violation } from '../vocabulary/types.ts';
import { type ListRow, listRows } from './lists.ts';
import { listedPages, type PageEvidence } from './page-evidence.ts';
import { mayBeDeletedByOthers, type PageFault } from './page-faults.ts';
import {
  hasParameter,
  keepOnlyLast,
  repeatCursorElement,
  restartAtBeginning,
  swapCursorSide,
} from './page-mutations.ts';
import { requirementsFrom, withAnyEvidence } from './templates.ts';

/** The field that a filter compares, by filter; a filter that is not listed has the name of its field. */
const FIELD_OF_FILTER: Readonly<Record<string, string>> = { filter: 'status' };

const CODE_BY_RULE: Readonly<Record<string, (row: ListRow) => CodeOf<PageEvidence>>> = {
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

function codeOfHasMore(row: ListRow): CodeOf<PageEvidence> {
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

function misplacedViolations({ judged, page: { order } }: PageEvidence): Violation[] {
  return judged.flatMap(({ index, created }, i) => {
    const before = judged[i - 1]?.created;
    if (created === undefined || before === undefined) return [];
    if (order === 'asc' ? created >= before : created <= before) return [];
    const bound = order === 'asc' ? 'at least' : 'at most';
    return [
      violation(
        `/data/${index}/created_at`,
        `${bound} ${before}, the time of the element before it`,
        created,
      ),
    ];
  });
}

function unreversedViolations({ reversal }: PageEvidence): Violation[] {
  const { here = [], there = [] } = reversal ?? {};
  const reversed = there.toReversed();
  const at = here.findIndex(({ created }, i) => created !== reversed[i]?.created);
  const element = here[at];
  if (element === undefined) return [];
  const expected = `created at ${reversed[at]?.created}, as in the other order`;
  return [violation(`/data/${element.index}/created_at`, expected, element.created)];
}

function codeOfDefaultLimit(row: ListRow): CodeOf<PageEvidence> {
  const { id } = row.operation;
  const most = row.traits.defaultLimit ?? 0;
  const editUnlimited = (edit: (all: readonly Json[]) => readonly Json[]): Mutation =>
    inResponseWhere(
      id,
      (exchange) => !hasParameter('limit')(exchange),
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

function codeAtCursor(row: ListRow, cursor: 'after' | 'before'): CodeOf<PageEvidence> {
  const { id } = row.operation;
  const mutations: Record<string, Mutation> = {
    'the cursor again': repeatCursorElement(id, cursor),
    'the list from its beginning': restartAtBeginning(id, cursor),
  };
  if (row.traits.order && row.create !== null) {
    mutations['most left out'] = inResponseWhere(
      id,
      hasParameter(cursor),
      cursor === 'after' ? keepOnlyLast : setValue('/data', []),
    );
    mutations['the other side'] = swapCursorSide(id);
  }
  return { check: faultsOf(cursor), broken_by: mutations };
}

function faultsOf(rule: PageFault['rule']) {
  return ({ faults }: PageEvidence): readonly Violation[] =>
    faults.filter((fault) => fault.rule === rule).map(({ complaint }) => complaint);
}

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
