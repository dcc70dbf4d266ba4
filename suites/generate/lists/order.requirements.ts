import type { Exchange } from '../../../exchange/exchange.ts';
import { inAnswerWhere } from '../../../judge/edit/breaks.ts';
import type { Complaint } from '../../../judge/requirement.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { backwards, firstAtTheEnd, has, inOrder } from './break.ts';
import type { Element, Order } from './page.ts';
import { isWhole, type ListedPage, pages } from './pages.ts';
import { type ListRow, listRows } from './rows.ts';

/** In which order elements come. Those of the same second may come in any. */
export const orders = listRows()
  .filter(({ traits }) => traits.order)
  .flatMap((row) => [
    ...[named(row, 'asc'), named(row, 'desc'), byDefault(row)],
    // A list of the organisation is never seen whole while others use it.
    ...(row.traits.scope === 'parent' ? [reverse(row)] : []),
  ]);

function named(row: ListRow, order: Order) {
  const { id, spec } = row.operation;
  const isNamed = (exchange: Exchange): boolean => has('order')(exchange) && inOrder(order)(exchange);
  return requirement({
    id: `${row.subject}.page.order-${order}`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: `With \`order\` ${order} the times of creation never ${order === 'asc' ? 'fall' : 'rise'}.`,
    on: only(pages(row), (told) => {
      return !told.page.isDefaultOrder && told.page.order === order && tells(told);
    }),
    check: misplaced,
    breaks: {
      backwards: inAnswerWhere(id, isNamed, backwards),
      'the first at the end': inAnswerWhere(id, isNamed, firstAtTheEnd),
    },
  });
}

function byDefault(row: ListRow) {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.default-order`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: 'Without `order` the newest come first.',
    on: only(pages(row), (told) => told.page.isDefaultOrder && tells(told)),
    check: misplaced,
    breaks: {
      backwards: inAnswerWhere(id, (exchange) => !has('order')(exchange), backwards),
      'the first at the end': inAnswerWhere(id, (exchange) => !has('order')(exchange), firstAtTheEnd),
    },
  });
}

function reverse(row: ListRow) {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.reverse`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: 'The ascending list is the descending one backwards, but for objects of the same second.',
    on: only(pages(row), (page) => reversal(page) !== null),
    check: (page) => {
      const { here, there } = reversal(page) ?? { here: [], there: [] };
      const wanted = there.toReversed();
      const at = here.findIndex(({ created }, i) => created !== wanted[i]?.created);
      return at === -1
        ? []
        : [
            {
              at: `/data/${here[at]?.index}/created_at`,
              expected: `created at ${wanted[at]?.created}, as in the other order`,
              actual: here[at]?.created,
            },
          ];
    },
    breaks: {
      'both in one order': inAnswerWhere(id, inOrder('asc'), backwards),
      'the first at the end': inAnswerWhere(id, inOrder('asc'), firstAtTheEnd),
    },
  });
}

/** What the whole list in each order shows of the objects that are in both; null where that tells nothing. */
function reversal({ page, opposite }: ListedPage) {
  if (!isWhole(page) || opposite === null) return null;
  const [here, there] = [page.elements, opposite.elements];
  // What was taken away and put back in between has another time.
  const isIn = (others: readonly Element[]) => {
    const times = new Map(others.map(({ id, created }) => [id, created]));
    return ({ id, created }: Element): boolean => created !== undefined && times.get(id) === created;
  };
  const common = { here: here.filter(isIn(there)), there: there.filter(isIn(here)) };
  return new Set(common.here.map(({ created }) => created)).size < 2 ? null : common;
}

/** Whether an order shows at all. */
function tells({ judged }: ListedPage): boolean {
  return new Set(judged.map(({ created }) => created)).size > 1;
}

function misplaced({ judged, page: { order } }: ListedPage): Complaint[] {
  return judged.flatMap(({ index, created }, i) => {
    const before = judged[i - 1]?.created;
    if (created === undefined || before === undefined) return [];
    if (order === 'asc' ? created >= before : created <= before) return [];
    const bound = order === 'asc' ? 'at least' : 'at most';
    return [
      { at: `/data/${index}/created_at`, expected: `${bound} ${before}, as before it`, actual: created },
    ];
  });
}
