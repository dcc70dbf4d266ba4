// Puts together what follows from the schemas: the requirements, their evaluator, and their mutants.
// What clients owe beside it is written by hand in `suites/client/`.

import { MESSAGE_KINDS, requestMutants, VIOLATED } from '../../proof/mutants/request-mutants.ts';
import { operations } from '../../schemas/index.ts';
import { bodyInspector } from '../probe/unlabelled-violations.ts';
import type { RequirementSet } from '../requirements/catalogue.ts';
import { onClientSide } from './client-side.ts';
import {
  clientConstraints,
  clientRequirementOf,
  type MessagePart,
  messagePartsOf,
  messageRequirementId,
  messageRequirements,
} from './request-constraints.ts';
import { RequestEvaluator } from './request-evaluator.ts';

/** The requirements on requests that follow from the schemas: bodies, queries, and the form of each request. */
export function requestRequirements(): RequirementSet {
  const parts = new Map<string, MessagePart>(
    operations().flatMap((operation) =>
      messagePartsOf(operation).map((part) => [messageRequirementId(operation.id, part), part] as const),
    ),
  );
  return onClientSide({
    requirements: [...clientConstraints().map(clientRequirementOf), ...messageRequirements()],
    open: (sink) => new RequestEvaluator(sink),
    prepare: () => bodyInspector().prepare(),
    kinds: (id) => {
      const part = parts.get(id);
      return part === undefined ? [VIOLATED] : MESSAGE_KINDS[part];
    },
    mutants: requestMutants,
  });
}
