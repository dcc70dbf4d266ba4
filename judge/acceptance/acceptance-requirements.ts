import { type Operation, operations, type Variant } from '../../schemas/index.ts';
import { subjectOf } from '../probe/constraints.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import { acceptanceRequirementId } from '../requirements/refusals.ts';
import type { Exclusion } from '../requirements/requirement.ts';
import { AcceptanceEvaluator } from './acceptance.ts';
import { EXCEPTIONS } from './expectation.ts';
import { unstatedExclusions } from './unstated-requests.ts';

export function acceptanceRequirements(): RequirementSet {
  return {
    origin: 'acceptance',
    requirements: subjects()
      .filter(({ operation }) => !Object.hasOwn(EXCEPTIONS, operation.id))
      .map(requirementOf),
    open: (sink) => new AcceptanceEvaluator(sink),
  };
}

const ACCOUNT: readonly Exclusion[] = [
  {
    id: 'service.accepts.account',
    spec: '1 Errors',
    says: 'Requests are accepted when the account has lost its key, its budget or its room (401 and 403 to all that follows, 402, 413).',
    reason:
      'The statuses of failed requests are not shown, and these are of the account. A body at a stated limit is not too large.',
  },
  {
    id: 'service.accepts.filtered-texts',
    spec: '1 Errors',
    says: 'Texts are accepted that a filter of the service takes for harmful.',
    reason: 'A filter is the choice of the service, which says by the code of its error that it refused.',
  },
];

/** States of objects in which an operation on them may be refused. */
const STATES: readonly Exclusion[] = [
  {
    id: 'service.accepts.objects-in-use',
    spec: '1 States and transitions',
    says: 'Threads and assistants of a run, and files of a batch or a training, are changed and deleted before its end.',
    reason:
      'The effect on an object in use is not shown; after the end of its use it can be changed and deleted.',
  },
  {
    id: 'service.accepts.assistants-of-other-version',
    spec: '1 Versioning',
    says: 'An assistant that one version has shown is read, changed, run and deleted under the header of the other.',
    reason: 'The header selects a form; what is asked under the other header is not shown.',
  },
];

export function acceptanceExclusions(): readonly Exclusion[] {
  const operationsLeftOut = subjects().flatMap((subject) => {
    const reason = EXCEPTIONS[subject.operation.id];
    if (reason === undefined) return [];
    const { id, spec, says } = requirementOf(subject);
    return [{ id, spec, says, reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }];
  });
  return [...operationsLeftOut, ...unstatedExclusions(), ...STATES, ...ACCOUNT];
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
