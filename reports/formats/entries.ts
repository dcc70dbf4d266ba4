// The entries of `assay list` and `assay explain`: everything that the suites state about the specification.
import { type Catalogue, type Requirement, requirementsOf } from '../../judge/requirements/catalogue.ts';
import type { Choice, Evidence, Exclusion } from '../../judge/requirements/requirement.ts';
import { families, operation } from '../../schemas/index.ts';
import type { ListingEntry } from './listing.ts';

/** All requirements by id, then the choices, then the exclusions. */
export function listingEntries(catalogue: Catalogue): readonly ListingEntry[] {
  return [
    ...[...requirementsOf(catalogue).values()].map(requirementEntry),
    ...catalogue.choices.map(choiceEntry),
    ...catalogue.exclusions.map(exclusionEntry),
  ];
}

/** A requirement; one that concerns several families is listed under the first. */
function requirementEntry(requirement: Requirement): ListingEntry {
  const { id, kind, level, basis, spec, says, families: all } = requirement;
  return { id, kind, level, basis, spec, says, family: all[0] ?? '', families: all, detail: null };
}

/** A choice, with its alternatives as the detail. */
function choiceEntry({ id, spec, says, alternatives, selector }: Choice<Evidence>): ListingEntry {
  return {
    id,
    kind: 'choice',
    level: 'CHOICE',
    basis: null,
    spec,
    says,
    family: familiesOf(selector.operations.slice(0, 1))[0] ?? '',
    families: familiesOf(selector.operations),
    detail: alternatives.join(' or '),
  };
}

/** An exclusion has no operation: the area of its id names its family, and `assistants` names both versions. */
function exclusionEntry({ id, spec, says, reason }: Exclusion): ListingEntry {
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
}

/** The families of operations, over all their variants. */
function familiesOf(operations: readonly string[]): readonly string[] {
  return [...new Set(operations.flatMap((id) => operation(id).variants.map(({ family }) => family)))];
}
