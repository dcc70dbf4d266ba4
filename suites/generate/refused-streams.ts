import { isRejection } from '../../judge/probe/probe-outcomes.ts';
import { rowOf } from '../rows/rows.ts';
import { asks, requests, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';

/** Requires that a stream is refused by a 4xx response, and not by a stream whose only event is an error. */
export function refusedStreamRequirement(id: string, operations: string | readonly string[]) {
  return rowOf(id, {
    evidence: where(
      requests(operations),
      asks('stream', true),
      that('that was rejected', ({ call }) => isRejection(call)),
    ),
    check: ({ call: { status } }) =>
      status !== null && status < 300
        ? [violation('status', '4xx, as the only event is an error', status)]
        : [],
  });
}
