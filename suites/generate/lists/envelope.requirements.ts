import { inResponseWhere, setIn, setValue } from '../../vocabulary/changes.ts';
import { arrayAt, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import { hasElements } from './mutations.ts';
import { type ListRow, listRows } from './rows.ts';
import { listedPages, withElements } from './selectors/pages.ts';

/** Filters that an element shows in a field, and the field where it has another name. */
const FIELDS: Readonly<Record<string, string>> = { filter: 'status' };

/** Statements of an envelope about its data. */
export const envelopes = listRows().flatMap((row) => [
  ...(row.envelope.includes('first_id') ? [edge(row, 'first')] : []),
  ...(row.envelope.includes('last_id') ? [edge(row, 'last')] : []),
  // A list without cursors has separate requirements.
  ...(row.traits.cursors.length > 0 ? row.traits.filters.map((name) => filter(row, name)) : []),
]);

function edge(row: ListRow, which: 'first' | 'last') {
  const { id, spec } = row.operation;
  return section(spec).implied(`${row.subject}.page.${which}-id`, {
    says: `\`${which}_id\` is the id of the ${which} element.`,
    selector: where(listedPages(row), withElements),
    check: ({ page: { call, elements } }) => {
      const shown = valueAtPath(call.responseJson, `${which}_id`);
      const wanted = elements.at(which === 'first' ? 0 : -1)?.id;
      return shown === wanted ? [] : [violation(`/${which}_id`, `${wanted}`, shown)];
    },
    mutations: {
      'another id': setIn(id, `/${which}_id`, 'id_of_nobody'),
      'left out': setIn(id, `/${which}_id`, null),
    },
  });
}

function filter(row: ListRow, name: string) {
  const { id, spec } = row.operation;
  const field = FIELDS[name] ?? name;
  return section(spec).stated(
    `${row.subject}.page.${name === 'filter' ? '' : 'filter-'}${name.replaceAll('_', '-')}`,
    {
      says: `A page filtered by \`${name}\` has only elements with that \`${field}\`.`,
      selector: where(
        listedPages(row),
        that(`whose query has ${name}`, ({ page: { filters } }) => filters[name] !== undefined),
        withElements,
      ),
      check: ({ page: { filters, call } }) =>
        arrayAt(call.responseJson, 'data').flatMap((element, i) => {
          const actual = valueAtPath(element, field);
          // Whether elements have the field is a matter of their schema.
          return actual === undefined || actual === filters[name]
            ? []
            : [violation(`/data/${i}/${field}`, `${filters[name]}`, actual)];
        }),
      mutations: {
        'one that does not fit': inResponseWhere(
          id,
          hasElements(name),
          setValue(`/data/0/${field}`, 'another'),
        ),
        'none that fits': inResponseWhere(id, hasElements(name), setValue(`/data/*/${field}`, 'another')),
      },
    },
  );
}
