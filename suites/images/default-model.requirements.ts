import { answering } from '../../judge/edit/exchanges.ts';
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
  breaks: {
    refused: (trace) =>
      trace.map((one) =>
        one.probe?.keyword === KEYWORD && one.probe.control !== null ? answering(one, 400, {}) : one,
      ),
  },
});
