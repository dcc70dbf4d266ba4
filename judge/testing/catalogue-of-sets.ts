import type { Catalogue, RequirementSet } from '../requirements/catalogue.ts';

/** A catalogue of only these requirements, without choices, exclusions and scenarios; `more` adds to it. */
export function catalogueOfSets(
  requirementSets: readonly RequirementSet[],
  more: Partial<Catalogue> = {},
): Catalogue {
  return {
    requirementSets,
    choices: [],
    exclusions: [],
    infeasible: [],
    equivalentMutants: [],
    scenarios: [],
    ...more,
  };
}
