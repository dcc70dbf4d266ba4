import { inAnswerWhere } from '../../../judge/edit/breaks.ts';
import type { Complaint } from '../../../judge/requirement.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { backwards, has, inOrder, queryOf } from './break.ts';
import type { Element, Order } from './page.ts';
import { type ListedPage, pages } from './pages.ts';
import { type ListRow, listRows } from './rows.ts';
import type { Walk } from './walk.ts';

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
  return requirement({
    id: `${row.subject}.page.order-${order}`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: `With \`order\` ${order} the times of creation never ${order === 'asc' ? 'fall' : 'rise'}.`,
    on: only(pages(row), (page) => !page.isDefaultOrder && page.order === order && tells(page)),
    check: misplaced,
    breaks: {
      backwards: inAnswerWhere(
        id,
        (exchange) => has('order')(exchange) && inOrder(order)(exchange),
        backwards,
      ),
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
    on: only(pages(row), (page) => page.isDefaultOrder && tells(page)),
    check: misplaced,
    breaks: {
      backwards: inAnswerWhere(id, ({ request }) => !queryOf(request).has('order'), backwards),
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
              at: `/data, element ${at + 1} of the walk`,
              expected: `created at ${wanted[at]?.created}, as in the other order`,
              actual: here[at]?.created,
            },
          ];
    },
    breaks: {
      'both in one order': inAnswerWhere(id, inOrder('asc'), backwards),
    },
  });
}

/** What a whole walk in each order shows of the objects that both show; null where that tells nothing. */
function reversal({ walk, opposite }: ListedPage) {
  if (walk === null || walk.start !== null || opposite === null) return null;
  if (walk.pages.at(-1)?.hasMore !== false) return null;
  const [here, there] = [elementsOf(walk), elementsOf(opposite)];
  const common = new Set(there.map(({ id }) => id));
  const shown = here.filter(({ id }) => common.has(id));
  const times = new Set(shown.map(({ created }) => created));
  const ids = new Set(shown.map(({ id }) => id));
  return times.size < 2 ? null : { here: shown, there: there.filter(({ id }) => ids.has(id)) };
}

function elementsOf({ pages: all }: Walk): readonly Element[] {
  return all.flatMap(({ elements }) => elements);
}

/** Whether an order shows at all. */
function tells({ judged }: ListedPage): boolean {
  return new Set(judged.map(({ created }) => created)).size > 1;
}

function misplaced({ judged, order }: ListedPage): Complaint[] {
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
