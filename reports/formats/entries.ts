// The entries of `assay list` and `assay explain`: everything that the suites state about the specification.

import {
  type Catalogue,
  freeEvidenceOf,
  type Requirement,
  requirementsOf,
} from '../../judge/requirements/catalogue.ts';
import { isOnClient } from '../../judge/requirements/claimed.ts';
import type { Choice, Evidence, Exclusion } from '../../judge/requirements/requirement.ts';
import { families, operation, operations } from '../../schemas/index.ts';
import type { ListingEntry } from './listing.ts';

/** All requirements by id, then the choices, then the exclusions. */
export function listingEntries(catalogue: Catalogue): readonly ListingEntry[] {
  return [
    ...[...requirementsOf(catalogue).values()].map((one) => requirementEntry(one, catalogue)),
    ...catalogue.choices.map(choiceEntry),
    ...catalogue.exclusions.map(exclusionEntry),
  ];
}

/** A requirement; one that concerns several families is listed under the first. */
function requirementEntry(
  { id, kind, level, basis, spec, says, families: all, side }: Requirement,
  { freeEvidence = [] }: Catalogue,
): ListingEntry {
  const free = freeEvidenceOf(freeEvidence, id);
  const detail = free === undefined ? null : `evidence is up to the ${free.decides}: ${free.reason}`;
  const entry = { id, kind, level, basis, spec, says, family: all[0] ?? '', families: all, detail };
  return side === undefined ? entry : { ...entry, side };
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
    ...(isOnClient(id) && { side: 'client' as const }),
  };
}

/** The area of an id names the operation or the family of an exclusion; `assistants` names both versions. */
function exclusionEntry({ id, spec, says, reason }: Exclusion): ListingEntry {
  const area = id.split(/[.:]/)[0] ?? '';
  const isOfOperation = operations().some((one) => one.id === area);
  const own = isOfOperation
    ? familiesOf([area])
    : families().filter((family) => family.replace(/-v\d$/, '') === area);
  return {
    id,
    kind: 'exclusion',
    level: null,
    basis: null,
    spec,
    says,
    family: isOfOperation ? (own[0] ?? '') : area,
    families: own,
    detail: reason,
  };
}

/** The families of operations, over all their variants. */
function familiesOf(operations: readonly string[]): readonly string[] {
  return [...new Set(operations.flatMap((id) => operation(id).variants.map(({ family }) => family)))];
}
