import { type Catalogue, rulesOf } from '../judge/catalogue.ts';
import type { Entry } from '../reports/listing.ts';
import { operation } from '../schemas/index.ts';

/** Everything that the suites say, as the list and the explanation show it. */
export function entriesOf(catalogue: Catalogue): readonly Entry[] {
  const rules = [...rulesOf(catalogue).values()].map(
    ({ id, kind, level, basis, spec, says, families }): Entry => ({
      id,
      kind,
      level,
      basis,
      spec,
      says,
      family: families[0] ?? '',
      detail: null,
    }),
  );
  const choices = catalogue.choices.map(
    ({ id, spec, says, alternatives, on }): Entry => ({
      id,
      kind: 'choice',
      level: 'CHOICE',
      basis: null,
      spec,
      says,
      family: familyOf(on.operations[0]),
      detail: alternatives.join(' or '),
    }),
  );
  const exclusions = catalogue.exclusions.map(
    ({ id, spec, says, reason }): Entry => ({
      id,
      kind: 'exclusion',
      level: null,
      basis: null,
      spec,
      says,
      // Of no operation: its area stands for its family.
      family: id.split('.')[0] ?? '',
      detail: reason,
    }),
  );
  return [...rules, ...choices, ...exclusions];
}

function familyOf(operationId: string | undefined): string {
  return operationId === undefined ? '' : (operation(operationId).variants[0]?.family ?? '');
}
