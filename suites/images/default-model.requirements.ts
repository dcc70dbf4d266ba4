import { answering } from '../../judge/edit/exchanges.ts';
import type { Break } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { mustAccept, trials } from '../../judge/selectors/trials.ts';
import { requirement } from '../../judge/write.ts';

const KEYWORD = 'default-model';

export const defaultModel = requirement({
  id: 'images.default-model.draws-as-earlier',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Images',
  says: 'Without a model, what only the earlier model draws is accepted.',
  on: only(trials('createImage', KEYWORD), ({ call }) => (call.exchange.probe?.control ?? null) !== null),
  check: mustAccept,
  breaks: { refused: answered(400), failed: answered(500) },
});

/** What is sent without a model; the same with the earlier one stays accepted. */
function answered(status: number): Break {
  return (trace) =>
    trace.map((one) =>
      one.probe?.keyword === KEYWORD && one.probe.control !== null ? answering(one, status, {}) : one,
    );
}
