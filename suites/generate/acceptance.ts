import type { Json } from '../../exchange/body.ts';
import { status } from '../../judge/edit/breaks.ts';
import { only, requests } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';

/** A form of request of which the specification does not say whether it is valid. */
export interface AcceptancePlan {
  readonly id: string;
  readonly spec: string;
  /** A sentence that begins with «Whether». */
  readonly says: string;
  readonly operations: readonly string[];
  /** Whether a request has this form. */
  readonly concerns: (asked: Json | undefined) => boolean;
}

/** The choice between accepting and refusing a form of request. Other failures, such as of capacity, show neither. */
export function acceptance({ id, spec, says, operations, concerns }: AcceptancePlan) {
  const [operation = ''] = operations;
  return choice({
    id,
    spec,
    says,
    alternatives: ['accepted', 'refused'],
    on: only(
      requests(operations),
      ({ asked, call: { outcome, exchange } }) =>
        exchange.probe?.side !== 'violation' &&
        (outcome === 'accepted' || outcome === 'rejected') &&
        concerns(asked),
    ),
    taken: ({ call }) => (call.outcome === 'accepted' ? 'accepted' : 'refused'),
    examples: { refused: status(operation, 400) },
  });
}
