import { type Operation, operations, type Variant } from '../../schemas/index.ts';
import { subjectOf } from '../probe/constraints.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import { acceptanceRequirementId } from '../requirements/refusals.ts';
import type { Exclusion } from '../requirements/requirement.ts';
import { AcceptanceEvaluator } from './acceptance.ts';
import { EXCEPTIONS } from './expectation.ts';

export function acceptanceRequirements(): RequirementSet {
  return {
    origin: 'acceptance',
    requirements: subjects()
      .filter(({ operation }) => !Object.hasOwn(EXCEPTIONS, operation.id))
      .map(requirementOf),
    open: (sink) => new AcceptanceEvaluator(sink),
  };
}

/** The operations that may refuse valid requests. */
export function acceptanceExclusions(): readonly Exclusion[] {
  return subjects().flatMap((subject) => {
    const reason = EXCEPTIONS[subject.operation.id];
    if (reason === undefined) return [];
    const { id, spec, says } = requirementOf(subject);
    return [{ id, spec, says, reason }];
  });
}

interface Subject {
  readonly operation: Operation;
  readonly variant: Variant;
}

function subjects(): readonly Subject[] {
  return operations().flatMap((operation) =>
    operation.variants.filter(({ counted }) => counted).map((variant) => ({ operation, variant })),
  );
}

function requirementOf({ operation, variant }: Subject): Requirement {
  const subject = subjectOf(operation, variant);
  return {
    id: acceptanceRequirementId(subject),
    kind: 'accepted',
    families: [variant.family],
    operations: [operation.id],
    level: 'MUST',
    basis: 'implied',
    spec: operation.spec,
    says: `${subject} accepts every request that satisfies the specification.`,
  };
}
