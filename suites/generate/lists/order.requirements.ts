import { inResponseWhere } from '../../vocabulary/changes.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Exchange, Mutation, Violation } from '../../vocabulary/types.ts';
import { hasElements, hasOrder, moveFirstToEnd, reverseElements } from './mutations.ts';
import { type ListRow, listRows } from './rows.ts';
import type { ListElement, ListOrder } from './selectors/page.ts';
import { isCompleteList, type ListedPage, listedPages } from './selectors/pages.ts';

/** Whether an order shows at all. */
const withTwoTimes = that<ListedPage>(
  'with two times of creation',
  ({ judged }) => new Set(judged.map(({ created }) => created)).size > 1,
);

/** In which order elements come. Those of the same second may come in any. */
export const orders = listRows()
  .filter(({ traits }) => traits.order)
  .flatMap((row) => [
    ...[named(row, 'asc'), named(row, 'desc'), byDefault(row)],
    // A list of the organisation is never seen whole while others use it.
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

/** The order of the objects that both complete lists contain; null where that proves nothing. */
function reversal({ page, opposite }: ListedPage) {
  if (!isCompleteList(page) || opposite === null) return null;
  const [here, there] = [page.elements, opposite.elements];
  // An object that was removed and put back in between has another time.
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
