import { textAt } from '../../judge/evidence/json.ts';
import { requests, where } from '../../judge/evidence/selectors/answers.ts';
import { withStatusOf } from '../../judge/mutations/mutations.ts';
import { choice } from '../../judge/requirements/define.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { UNKNOWN_MODEL, UNKNOWN_MODEL_USES } from './samples.ts';

/**
 * Where models are listed by name, another one is refused. Where any model id may stand, a service may serve an
 * unknown one by another model and name that one in its answer.
 */
export const unknownNames = UNKNOWN_MODEL_USES.map(({ family, operation, spec }) =>
  choice({
    id: `${family}.model.unknown`,
    spec,
    says: `The response of ${operation} to the name of a model that does not exist.`,
    alternatives: ['refused', 'answered'],
    selector: where(
      requests(operation),
      ({ asked, call: { responseClass: outcome } }) =>
        textAt(asked, 'model') === UNKNOWN_MODEL && ['accepted', 'rejected', 'absent'].includes(outcome),
    ),
    taken: outcome('answered'),
    examples: { refused: withStatusOf(operation, 404) },
  }),
);
