import { type Catalogue, requirementsOf } from '../../judge/requirements/catalogue.ts';
import { families, operation } from '../../schemas/index.ts';
import type { ListingEntry } from './listing.ts';

/** Everything that the suites say, as the list and the explanation show it. */
export function listingEntries(catalogue: Catalogue): readonly ListingEntry[] {
  const rules = [...requirementsOf(catalogue).values()].map(
    ({ id, kind, level, basis, spec, says, families }): ListingEntry => ({
      id,
      kind,
      level,
      basis,
      spec,
      says,
      family: families[0] ?? '',
      families,
      detail: null,
    }),
  );
  const choices = catalogue.choices.map(
    ({ id, spec, says, alternatives, selector: on }): ListingEntry => ({
      id,
      kind: 'choice',
      level: 'CHOICE',
      basis: null,
      spec,
      says,
      family: familiesOf(on.operations.slice(0, 1))[0] ?? '',
      families: familiesOf(on.operations),
      detail: alternatives.join(' or '),
    }),
  );
  const exclusions = catalogue.exclusions.map(({ id, spec, says, reason }): ListingEntry => {
    // Of no operation: its area stands for its family, and `assistants` for both of its versions.
    const area = id.split('.')[0] ?? '';
    return {
      id,
      kind: 'exclusion',
      level: null,
      basis: null,
      spec,
      says,
      family: area,
      families: families().filter((family) => family.replace(/-v\d$/, '') === area),
      detail: reason,
    };
  });
  return [...rules, ...choices, ...exclusions];
}

function familiesOf(operations: readonly string[]): readonly string[] {
  return [...new Set(operations.flatMap((id) => operation(id).variants.map(({ family }) => family)))];
}
