// Choices about requests whose validity the specification leaves open.
import { choiceOf } from '../rows/rows.ts';
import { withStatusOf } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { requests, settled, that, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

export interface AcceptancePlan {
  readonly id: string;
  readonly operations: readonly string[];
  readonly concerns: (asked: Json | undefined) => boolean;
}

/** Whether a target accepts a form of request. Other failures, such as rate limits, show neither. */
export function acceptance({ id, operations, concerns }: AcceptancePlan) {
  const [operation = ''] = operations;
  return choiceOf(id, {
    selector: where(
      requests(operations),
      settled,
      that(
        'whose request is valid and of this kind',
        ({ asked, call }) => call.exchange.probe?.side !== 'violation' && concerns(asked),
      ),
    ),
    taken: outcome('accepted'),
    examples: { refused: withStatusOf(operation, 400) },
  });
}
