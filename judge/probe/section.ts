import { operation } from '../../schemas/index.ts';
import type { Rule, Section } from '../catalogue.ts';
import { kindsOfProbe } from '../proof/kinds.ts';
import { probeMutants } from '../proof/probe-mutants.ts';
import { probeRuleId, type RequestConstraint, requestConstraints, type Side } from './constraints.ts';
import { ProbeExaminer } from './examiner.ts';
import { probeSentence } from './sentence.ts';
import { prepareBodies } from './unlabelled.ts';

/** The requirements that the request schemas and parameters state: what is accepted, and what is rejected. */
export function probeSection(): Section {
  const kinds = new Map(
    requestConstraints().flatMap((constraint) =>
      constraint.sides.map(
        (side) => [probeRuleId(constraint, side), kindsOfProbe(constraint, side)] as const,
      ),
    ),
  );
  return {
    rules: requestConstraints().flatMap((constraint) =>
      constraint.sides.map((side) => ruleOf(constraint, side)),
    ),
    open: (bench) => new ProbeExaminer(bench),
    prepare: prepareBodies,
    kinds: (id) => kinds.get(id) ?? [],
    mutants: probeMutants,
  };
}

function ruleOf(constraint: RequestConstraint, side: Side): Rule {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id: probeRuleId(constraint, side),
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
