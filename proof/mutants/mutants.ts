import type { RequirementSet } from '../../judge/requirements/catalogue.ts';
import { acceptanceMutants } from './acceptance-mutants.ts';
import { behaviourMutants } from './behaviour-mutants.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';
import { mutationKindsOfProbes, mutationKindsOfResponse } from './mutation-kinds.ts';
import { probeMutants } from './probe-mutants.ts';
import { mutationKindsOfRequest, requestMutants } from './request-mutants.ts';
import { schemaMutants } from './schema-mutants.ts';

export function mutantsOf(set: RequirementSet, baseline: BaselineTrace): Iterable<Mutant> {
  switch (set.origin) {
    case 'schema':
      return schemaMutants(baseline);
    case 'probe':
      return probeMutants(baseline);
    case 'acceptance':
      return acceptanceMutants(baseline);
    case 'request':
      return requestMutants(baseline);
    case 'behaviour':
      return (set.behaviours ?? [])
        .filter(({ id }) => baseline.selected.has(id))
        .flatMap((requirement) => [...behaviourMutants(requirement, baseline)]);
  }
}

/** Kinds of mutation that violate a requirement of a set. A mutant of each kind must be killed. */
export function mutationKindsOf({ origin, behaviours = [] }: RequirementSet, id: string): readonly string[] {
  switch (origin) {
    case 'schema':
      return mutationKindsOfResponse(id);
    case 'probe':
      return mutationKindsOfProbes().get(id) ?? [];
    case 'acceptance':
      return ['refused'];
    case 'request':
      return mutationKindsOfRequest(id);
    case 'behaviour':
      return Object.keys(behaviours.find((requirement) => requirement.id === id)?.mutations ?? {});
  }
}
