import { inAnswer, inAnswerWhere } from '../../../judge/edit/breaks.ts';
import { put } from '../../../judge/edit/values.ts';
import { get, list } from '../../../judge/json.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { has } from './break.ts';
import { pages } from './pages.ts';
import { type ListRow, listRows } from './rows.ts';

/** Filters that an element tells by a field of its own, and the field where it has another name. */
const FIELDS: Readonly<Record<string, string>> = { filter: 'status' };

/** What an envelope says of its data. */
export const envelopes = listRows().flatMap((row) => [
  ...(row.envelope.includes('first_id') ? [edge(row, 'first')] : []),
  ...(row.envelope.includes('last_id') ? [edge(row, 'last')] : []),
  // A list without cursors has requirements of its own.
  ...(row.traits.cursors.length > 0 ? row.traits.filters.map((name) => filter(row, name)) : []),
]);

function edge(row: ListRow, which: 'first' | 'last') {
  const { id, spec } = row.operation;
  return requirement({
    id: `${row.subject}.page.${which}-id`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: `\`${which}_id\` is the id of the ${which} element.`,
    on: only(pages(row), ({ page }) => page.elements.length > 0),
    check: ({ page: { call, elements } }) => {
      const told = get(call.answer, `${which}_id`);
      const wanted = elements.at(which === 'first' ? 0 : -1)?.id;
      return told === wanted ? [] : [{ at: `/${which}_id`, expected: `${wanted}`, actual: told }];
    },
    breaks: {
      'another id': inAnswer(id, put(`/${which}_id`, 'id_of_nobody')),
      'left out': inAnswer(id, put(`/${which}_id`, null)),
    },
  });
}

function filter(row: ListRow, name: string) {
  const { id, spec } = row.operation;
  const field = FIELDS[name] ?? name;
  return requirement({
    id: `${row.subject}.page.${name === 'filter' ? '' : 'filter-'}${name.replaceAll('_', '-')}`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: `A page filtered by \`${name}\` has only elements with that \`${field}\`.`,
    on: only(pages(row), ({ page: { filters, elements } }) => {
      return filters[name] !== undefined && elements.length > 0;
    }),
    check: ({ page: { filters, call } }) =>
      list(call.answer, 'data').flatMap((element, i) => {
        const actual = get(element, field);
        return actual === filters[name]
          ? []
          : [{ at: `/data/${i}/${field}`, expected: `${filters[name]}`, actual }];
      }),
    breaks: {
      'one that does not fit': inAnswerWhere(id, has(name), put(`/data/0/${field}`, 'another')),
      'none that fits': inAnswerWhere(id, has(name), put(`/data/*/${field}`, 'another')),
    },
  });
}
