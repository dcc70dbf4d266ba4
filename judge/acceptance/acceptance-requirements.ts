import { type Operation, operations, type Variant } from '../../schemas/index.ts';
import { subjectOf } from '../probe/constraints.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import type { Exclusion } from '../requirements/requirement.ts';
import { AcceptanceEvaluator } from './acceptance-evaluator.ts';
import { acceptanceMutants } from './acceptance-mutants.ts';
import { EXCEPTIONS } from './expectation.ts';
import { acceptanceRequirementId } from './ids.ts';

/** That each operation accepts every valid request: derived from the request itself, not from the label of a probe. */
export function acceptanceRequirements(): RequirementSet {
  return {
    requirements: subjects()
      .filter(({ operation }) => !Object.hasOwn(EXCEPTIONS, operation.id))
      .map(requirementOf),
    open: (sink) => new AcceptanceEvaluator(sink),
    kinds: () => ['refused'],
    mutants: acceptanceMutants,
  };
}

/** The operations of which the trace does not show whether a valid request can be carried out. */
export function acceptanceExclusions(): readonly Exclusion[] {
  return subjects().flatMap((subject) => {
    const reason = EXCEPTIONS[subject.operation.id];
    if (reason === undefined) return [];
    const { id, spec, says } = requirementOf(subject);
    return [{ id, spec, says, reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }];
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
