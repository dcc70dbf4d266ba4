import { bodyInspector } from '../probe/unlabelled-violations.ts';
import type { RequirementSet } from '../requirements/catalogue.ts';
import { onClientSide } from './client-side.ts';
import { clientConstraints, clientRequirementOf, messageRequirements } from './request-constraints.ts';
import { RequestEvaluator } from './request-evaluator.ts';

/** Requirements on requests that follow from the schemas. `suites/client/` has the hand-written ones. */
export function requestRequirements(): RequirementSet {
  return onClientSide({
    origin: 'request',
    requirements: [...clientConstraints().map(clientRequirementOf), ...messageRequirements()],
    open: (sink) => new RequestEvaluator(sink),
    prepare: () => bodyInspector().prepare(),
  });
}
