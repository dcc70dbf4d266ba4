import { behaviourRequirements } from '../evidence/behaviour-requirements.ts';
import { probeRequirements } from '../probe/probe-evaluator.ts';
import type { Catalogue, RequirementSet } from '../requirements/catalogue.ts';
import type { BehaviourRequirement, Evidence } from '../requirements/requirement.ts';
import { schemaRequirements } from '../schema/response-evaluator.ts';

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

/** A catalogue of all schema and probe requirements, and the given behaviour requirements. */
export function catalogueOf(...requirements: BehaviourRequirement<Evidence>[]): Catalogue {
  return catalogueOfSets([schemaRequirements(), probeRequirements(), behaviourRequirements(requirements)]);
}
