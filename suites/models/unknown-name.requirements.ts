import { choiceOf } from '../rows/rows.ts';
import { withStatusOf } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { asks, requests, settled, where } from '../vocabulary/selectors.ts';
import { UNKNOWN_MODEL, UNKNOWN_MODEL_USES } from './samples.ts';

/**
 * Where models are listed by name, another one is refused. Where any model id may stand, a service may serve an
 * unknown one by another model and name that one in its answer.
 */
export const unknownNames = UNKNOWN_MODEL_USES.map(({ family, operation }) =>
  choiceOf(`${family}.model.unknown`, {
    selector: where(requests(operation), asks('model', UNKNOWN_MODEL), settled),
    taken: outcome('answered'),
    examples: { refused: withStatusOf(operation, 404) },
  }),
);
