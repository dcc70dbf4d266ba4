// Generates two requirements from each constraint of a request: valid values are accepted, violations are
// rejected.
import { operation } from '../../schemas/index.ts';
import { mutationKindsOfProbe } from '../mutation-testing/mutants/mutation-kinds.ts';
import { probeMutants } from '../mutation-testing/mutants/probe-mutants.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import {
  type ProbeSide,
  probeRequirementId,
  type RequestConstraint,
  requestConstraints,
} from './constraints.ts';
import { ProbeEvaluator } from './probe-evaluator.ts';
import { probeSentence } from './sentence.ts';
import { requestInspector } from './unlabelled-violations.ts';

/** The requirements of the request schemas and parameters. */
export function probeRequirements(): RequirementSet {
  const kinds = new Map(
    requestConstraints().flatMap((constraint) =>
      constraint.sides.map(
        (side) => [probeRequirementId(constraint, side), mutationKindsOfProbe(constraint, side)] as const,
      ),
    ),
  );
  const needed = new Map(
    requestConstraints().flatMap((constraint) =>
      constraint.sides.map(
        (side) => [probeRequirementId(constraint, side), { place: constraint.pointer, side }] as const,
      ),
    ),
  );
  return {
    requirements: requestConstraints().flatMap((constraint) =>
      constraint.sides.map((side) => ruleOf(constraint, side)),
    ),
    open: (sink) => new ProbeEvaluator(sink),
    prepare: () => requestInspector().prepare(),
    kinds: (id) => kinds.get(id) ?? [],
    needed: (id) => needed.get(id) ?? null,
    mutants: probeMutants,
  };
}

/** The requirement of one side of a constraint. */
function ruleOf(constraint: RequestConstraint, side: ProbeSide): Requirement {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id: probeRequirementId(constraint, side),
    kind: side,
    families: variant === undefined ? [] : [variant.family],
    operations: [constraint.operation],
    level: 'MUST',
    // The specification states constraints, not responses to violations: the rejection is implied.
    basis: side === 'rejected' || constraint.keyword === 'unknown' ? 'implied' : constraint.basis,
    spec: constraint.spec,
    says: probeSentence(constraint, side),
  };
}
