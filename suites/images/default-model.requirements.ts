import { withJsonResponse } from '../vocabulary/exchanges.ts';
import { mustAccept, probeResults, that, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Mutation } from '../vocabulary/types.ts';

const { stated } = section('2 Images');
const KEYWORD = 'default-model';

export const imagesDefaultModelDrawsAsEarlier = stated('images.default-model.draws-as-earlier', {
  says: 'Without a model, a size or number that only the earlier model supports is accepted.',
  selector: where(
    probeResults('createImage', KEYWORD),
    that('without a model', ({ call }) => (call.exchange.probe?.control ?? null) !== null),
  ),
  check: mustAccept,
  mutations: { refused: answered(400), failed: answered(500) },
});

/** A request without a model as the violation; the same request with the earlier model stays accepted. */
function answered(status: number): Mutation {
  return (trace) =>
    trace.map((one) =>
      one.probe?.keyword === KEYWORD && one.probe.control !== null ? withJsonResponse(one, status, {}) : one,
    );
}
