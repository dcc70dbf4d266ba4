import { rowOf } from '../rows/rows.ts';
import { withJsonResponse } from '../vocabulary/exchanges.ts';
import { mustAccept } from '../vocabulary/selectors.ts';
import type { Mutation, ProbeResult } from '../vocabulary/types.ts';

const KEYWORD = 'default-model';

export const imagesDefaultModelDrawsAsEarlier = rowOf<ProbeResult>('images.default-model.draws-as-earlier', {
  check: mustAccept,
  broken_by: { refused: answered(400), failed: answered(500) },
});

/** A request without a model as the violation; the same request with the earlier model stays accepted. */
function answered(status: number): Mutation {
  return (trace) =>
    trace.map((one) =>
      one.probe?.keyword === KEYWORD && one.probe.control !== null ? withJsonResponse(one, status, {}) : one,
    );
}
