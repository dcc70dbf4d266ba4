import type { Catalogue, RequirementSet } from '../requirements/catalogue.ts';

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
