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
import { prepareBodies } from './unlabelled-violations.ts';

/** The requirements that the request schemas and parameters state: what is accepted, and what is rejected. */
export function probeRequirements(): RequirementSet {
  const kinds = new Map(
    requestConstraints().flatMap((constraint) =>
      constraint.sides.map(
        (side) => [probeRequirementId(constraint, side), mutationKindsOfProbe(constraint, side)] as const,
      ),
    ),
  );
  return {
    requirements: requestConstraints().flatMap((constraint) =>
      constraint.sides.map((side) => ruleOf(constraint, side)),
    ),
    open: (sink) => new ProbeEvaluator(sink),
    prepare: prepareBodies,
    kinds: (id) => kinds.get(id) ?? [],
    mutants: probeMutants,
  };
}

function ruleOf(constraint: RequestConstraint, side: ProbeSide): Requirement {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id: probeRequirementId(constraint, side),
    kind: side,
    families: variant === undefined ? [] : [variant.family],
    operations: [constraint.operation],
    level: 'MUST',
    // No sentence says what a request gets that breaks a rule; that it is refused follows from the rule.
    basis: side === 'rejected' || constraint.keyword === 'unknown' ? 'implied' : constraint.basis,
    spec: constraint.spec,
    says: probeSentence(constraint, side),
  };
}
